import type { ProposedFact, ValueType } from '../../schemas/taskSynthesis.ts';

/** Words for rows of tables whose labels are not nouns, or hold an `of`. Other labels stand for themselves. */
const relationWords: Readonly<Record<string, string>> = {
  born: 'birth date',
  died: 'death year',
  'place of birth': 'birthplace',
  'set up': 'founding year',
  founded: 'founding year',
  opened: 'opening year',
  launched: 'launch year',
  published: 'publication year',
  'first held': 'first year',
  'first lit': 'first light',
  'known for': 'craft',
  teaches: 'specialty',
  'charted by': 'navigator',
};

const heading = /^# (.+?)(?: - [^-]+)?$/;
const passageTitle = /^Doc \d+ \(Title: "(.+)"\)$/;
const row = /^([\p{L}][^|\n]{0,40}) \| ([^|\n]+)$/u;

/**
 * The facts that a text states in the rows of its tables (`Capital | Inkerby`). A heading or a passage's title says what
 * the rows after it are about.
 *
 * @param subject - what rows before the first heading are about; absent: they are left out
 */
export function readFacts(text: string, subject?: string): ProposedFact[] {
  const facts: ProposedFact[] = [];
  let about = subject;
  for (const line of text.split('\n')) {
    const title = (heading.exec(line) ?? passageTitle.exec(line))?.[1];
    if (title !== undefined) about = title;
    const cells = row.exec(line);
    if (about !== undefined && cells) facts.push(factOf(about, cells));
  }
  return facts;
}

/** A link, whose words alone are the value. */
const link = /\[([^\]]+)\]\([^)\s]*\)/g;

function factOf(subject: string, [quote, label, cell]: RegExpExecArray): ProposedFact {
  const value = cell!.replace(link, '$1').trim();
  return { subject, relation: relationOf(label!), value, type: typeOf(value), quote };
}

/** A row's label as words for a relation: without its unit and without `of`, which parts descriptions. */
function relationOf(label: string): string {
  const plain = label.replace(/\s*\([^)]*\)$/, '').toLowerCase();
  return (relationWords[plain] ?? plain).replaceAll(' of ', '-of-');
}

const year = /^\d{4}$/;
const day = /^\d{1,2} \p{Lu}\p{L}+ \d{4}$/u;
const number = /^-?[\d,]+(?:\.\d+)?$/;

function typeOf(value: string): ValueType {
  if (year.test(value) || day.test(value)) return 'date';
  if (number.test(value)) return 'number';
  return /^\p{Lu}/u.test(value) ? 'entity' : 'text';
}
