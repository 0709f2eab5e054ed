import type { Random } from '../../../examples/closed-loop/random.ts';

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);
const small =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A value as another hand would write it: a date in another order, a number in words, a name in other letters. */
export function otherSpelling(value: string, random: Random): string {
  const date = /^(\d+) (\w+) (\d{4})$/.exec(value);
  if (date) return otherDate(date[1]!, date[2]!, date[3]!, random);
  if (/^[\d,]+$/.test(value)) return otherNumber(Number(value.replaceAll(',', '')), random);
  return random.pick([
    value,
    value.toUpperCase(),
    value.normalize('NFD').replace(/\p{M}/gu, ''),
    value.replaceAll(' ', '-'),
    value.replaceAll(' ', ''),
    `${value.split(' ').at(-1)}, ${value.split(' ').slice(0, -1).join(' ')}`,
    `“${value}’s”`,
  ]);
}

function otherDate(day: string, month: string, year: string, random: Random): string {
  const number = months.indexOf(month) + 1;
  return random.pick([
    `${month} ${day}, ${year}`,
    `the ${day}th of ${month} in the year ${year}`,
    `${year}-${`${number}`.padStart(2, '0')}-${day.padStart(2, '0')}`,
    `${day}/${number}/${year}`,
    `${number}/${day}/${year}`,
    `${year}, on ${month.slice(0, 3)} ${day}`,
  ]);
}

function otherNumber(value: number, random: Random): string {
  const isYear = value >= 1100 && value < 2000 && value % 100 > 9;
  return random.pick([
    `${value}`,
    value.toLocaleString('en-US'),
    value.toLocaleString('en-US').replaceAll(',', ' '),
    inWords(value),
    ...(isYear ? [`${inWords(Math.floor(value / 100))} ${inWords(value % 100)}`] : []),
  ]);
}

function inWords(value: number): string {
  if (value < 20) return small[value]!;
  if (value < 100)
    return [tens[Math.floor(value / 10) - 2], value % 10 ? small[value % 10] : ''].filter(Boolean).join('-');
  const [unit, name] = value < 1000 ? [100, 'hundred'] : [1000, 'thousand'];
  const rest = value % unit;
  return `${inWords(Math.floor(value / unit))} ${name}${rest === 0 ? '' : ` ${rest < 100 ? 'and ' : ''}${inWords(rest)}`}`;
}
