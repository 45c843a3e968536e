import { encodeUtf8 } from "./utf8.js";

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) {
    c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  }
  return c;
});

/** crc32 returns the CRC-32 (IEEE) of a text's UTF-8 bytes. */
export function crc32(text: string): number {
  let c = 0xffffffff;
  for (const byte of encodeUtf8(text)) {
    c = (table[(c ^ byte) & 0xff] as number) ^ (c >>> 8);
  }
  return (c ^ 0xffffffff) >>> 0;
}
