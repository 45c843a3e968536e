// The template of the developer-facing text of an error.

/** TemplatePart is literal text or the name of a field. */
export interface TemplatePart {
  readonly placeholder: boolean;
  readonly text: string;
}

/** parseTemplate splits a template; a string says what is wrong with it. */
export function parseTemplate(template: string): TemplatePart[] | string {
  const parts: TemplatePart[] = [];
  let literal = "";
  const flush = (): void => {
    if (literal !== "") {
      parts.push({ placeholder: false, text: literal });
      literal = "";
    }
  };
  for (let i = 0; i < template.length; i++) {
    const c = template[i] as string;
    if ((c === "{" || c === "}") && template[i + 1] === c) {
      literal += c;
      i++;
    } else if (c === "}") {
      return "a } has no {; write }} for a brace";
    } else if (c === "{") {
      const end = template.indexOf("}", i);
      const name = end < 0 ? "" : template.slice(i + 1, end);
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        return "a { begins no placeholder; write {{ for a brace";
      }
      flush();
      parts.push({ placeholder: true, text: name });
      i = end;
    } else {
      literal += c;
    }
  }
  flush();
  return parts;
}
