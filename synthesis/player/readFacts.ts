import type { ProposedFact, ValueType } from '../../schemas/taskSynthesis.ts';

/** Words for table labels that are not nouns, or contain `of`. Other labels are used as they are. */
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
 * Reads facts from table rows (`Capital | Inkerby`). A heading or a passage's title is the subject of the rows after
 * it.
 *
 * @param subject - subject of rows before the first heading; absent: these are skipped
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

/** Matches a link; only its text is part of the value. */
const link = /\[([^\]]+)\]\([^)\s]*\)/g;

function factOf(subject: string, [quote, label, cell]: RegExpExecArray): ProposedFact {
  const value = cell!.replace(link, '$1').trim();
  return { subject, relation: relationOf(label!), value, type: typeOf(value), quote };
}

/** Relation from a row's label, without its unit and without `of`, which separates descriptions. */
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
