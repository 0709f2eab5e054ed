/** A kind of escapes, and what one of them stands for. */
interface Escapes {
  /** With one of these each of them begins. */
  readonly signs: readonly string[];
  readonly pattern: RegExp;
  /** Number systems of the pattern's groups, in order. */
  readonly radixes: readonly number[];
}

/**
 * Escapes of JSON, JavaScript, C and Python, of URLs and of HTML, quoted any number of times (`\\u003d`, `%253D`,
 * `&amp;#61;`). Those without a number stand for no letter and no digit.
 */
const common: Escapes = {
  signs: ['\\', '%', '&'],
  pattern:
    /\\+u(?:0000)?([0-9a-f]{4})|\\+u\{([0-9a-f]{1,6})\}|\\+x([0-9a-f]{2})|%(?:25)*(?:u00)?([0-9a-f]{2})|&(?:amp;)*#x([0-9a-f]{1,6});?|\\+([0-7]{3})|&(?:amp;)*#(\d{1,7});?|\\+[nrtbfv0]|&(?:amp;)*[a-z]+;/gi,
  radixes: [16, 16, 16, 16, 16, 8, 10],
};
/** Escapes of mail (quoted-printable). They are read apart from the others: `=` and two digits stand in many texts. */
const ofMail: Escapes = { signs: ['='], pattern: /=([0-9a-f]{2})|=\r?\n/gi, radixes: [16] };

/** How often escapes within escapes are read. */
const MOST_LEVELS = 4;

/** A text as it is, and as it reads once its escapes are resolved, and those that come to light then. Mostly one. */
export function readings(text: string): string[] {
  const found = [text];
  for (let level = 0; level < MOST_LEVELS; level++) {
    const read = resolved(found.at(-1)!, common);
    if (read === found.at(-1)) break;
    found.push(read);
  }
  const mail = resolved(text, ofMail);
  return mail === text ? found : [...found, mail];
}

function resolved(text: string, { signs, pattern, radixes }: Escapes): string {
  if (!signs.some((sign) => text.includes(sign))) return text;
  return text.replace(pattern, (_escape, ...groups: (string | undefined)[]) => {
    const group = radixes.findIndex((_radix, at) => groups[at] !== undefined);
    const code = group < 0 ? Number.NaN : Number.parseInt(groups[group]!, radixes[group]);
    return code <= 0x10ffff ? String.fromCodePoint(code) : ' ';
  });
}

/**
 * The letters and digits of a text in lower case, without what stands between them: white space, signs, quotes. Full width
 * and other compatibility forms are read as plain ones.
 */
export function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '');
}
