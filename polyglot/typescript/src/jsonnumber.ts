// Numbers as JSON says them: compared by what their tokens say, never by what a
// double makes of them.

const maxExponent = 1 << 20;

const numberForm = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** isNumber tells whether a text is one JSON number and nothing else. */
export function isNumber(token: string): boolean {
  return numberForm.test(token);
}

// A number as sign, digits without zeros at either end, and the power of ten of the
// last digit. Zero has no digits.
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

function parseDecimal(token: string): Decimal | undefined {
  if (!isNumber(token)) {
    return undefined;
  }
  const negative = token.startsWith("-");
  const [mantissa, power] = token.slice(negative ? 1 : 0).split(/[eE]/) as [string, string | undefined];
  const exponent = power === undefined ? 0 : Number(power);
  if (Math.abs(exponent) > maxExponent) {
    return undefined;
  }
  const [whole, fraction = ""] = mantissa.split(".") as [string, string | undefined];
  const all = whole + fraction;
  let from = 0;
  while (all.charCodeAt(from) === 0x30) {
    from++;
  }
  let to = all.length;
  while (to > from && all.charCodeAt(to - 1) === 0x30) {
    to--;
  }
  return { negative, digits: all.slice(from, to), exponent: from === to ? 0 : exponent - fraction.length + all.length - to };
}

/**
 * sameNumber tells whether two number tokens are of the same decimal value and sign (0
 * is not -0). Tokens whose exponent lies beyond ±2^20 are never the same.
 */
export function sameNumber(a: string, b: string): boolean {
  const d = parseDecimal(a);
  const e = d === undefined ? undefined : parseDecimal(b);
  return d !== undefined && e !== undefined && d.negative === e.negative && d.exponent === e.exponent && d.digits === e.digits;
}

/** Integral is an integer of 64 bits and a sign. */
export interface Integral {
  readonly magnitude: bigint;
  readonly negative: boolean;
}

/** integerOf returns the value of a token that is integral, as 1.0 and 1e3 are too, of 64 bits and a sign. */
export function integerOf(token: string): Integral | undefined {
  const d = parseDecimal(token);
  if (d === undefined || d.exponent < 0 || d.digits.length + d.exponent > 20) {
    return undefined;
  }
  const magnitude = BigInt("0" + d.digits + "0".repeat(d.exponent));
  return magnitude >= 1n << 64n ? undefined : { magnitude, negative: d.negative };
}

const plain = /^-?(?:0|[1-9][0-9]{0,14})$/;

/** safeIntegerOf returns the value of an integral token within ±(2^53-1). */
export function safeIntegerOf(token: string): number | undefined {
  if (plain.test(token)) {
    return Number(token) + 0;
  }
  const n = integerOf(token);
  if (n === undefined || n.magnitude > BigInt(Number.MAX_SAFE_INTEGER)) {
    return undefined;
  }
  return n.negative ? 0 - Number(n.magnitude) : Number(n.magnitude);
}

/** floatText spells a finite double as ECMAScript and ProtoJSON do, -0 too. */
export function floatText(f: number): string {
  return Object.is(f, -0) ? "-0" : String(f);
}

/** narrowText spells a finite float of 32 bits as briefly as it can be told from others. */
export function narrowText(f: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(f.toPrecision(digits));
    if (Math.fround(short) === f) {
      return floatText(short);
    }
  }
  return floatText(Number(f.toPrecision(9)));
}
