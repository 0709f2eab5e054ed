import type { JsonObject } from '../../../../base/json.ts';
import type { Trajectory } from '../../../../schemas/trajectory.ts';
import { taskOf, toolSteps, trajectoryFrom } from '../../../support/traceFixture.ts';

/** A tool call with what it showed. */
interface Look {
  readonly tool?: string;
  readonly input?: JsonObject;
  readonly shows: string;
}

/** Parts of a made trajectory. */
interface Told {
  readonly question?: string;
  readonly answers: readonly string[];
  readonly answer: string;
  readonly looks: readonly Look[];
  readonly think?: string;
}

/** A trajectory of `mhqa`, or of another profile with its tools. */
export function trajectoryOf(told: Told, profile = 'mhqa'): Trajectory {
  const { question = 'Which one is it?', answers, answer, looks, think = 'enough' } = told;
  return trajectoryFrom(taskOf(profile, { question, answers: [...answers] }), [
    { role: 'planner', action: 'plan', answer: { think, plan: 'search' } },
    ...looks.flatMap(({ tool = 'wiki_search', input = { query: 'it' }, shows }) =>
      toolSteps(tool, input, shows),
    ),
    { role: 'orchestrator', action: 'answer', answer: { think: 'enough', next: 'answer' } },
    { role: 'answerer', action: 'answer', answer: { think: 'so it is', answer } },
  ]);
}

/** A generated row, and whether its answer was seen. */
export interface PlannedRow {
  readonly trajectory: Trajectory;
  readonly isLucky: boolean;
  readonly told: Told;
}

interface Kind {
  /** Gold answers, the first of which is given; then texts that hold it, and near misses. */
  readonly of: (pick: Picker) => {
    readonly answers: readonly string[];
    readonly held: readonly string[];
    readonly near: readonly string[];
  };
}

type Picker = (below: number) => number;

const given = ['Rita', 'Livia', 'Conrad', 'Émile', 'José', 'Anneke', 'Bram', 'Otto'];
const families = ['Kern', 'Yardley', 'Vell', 'Núñez', 'Storm', 'Pell', 'Okafor', 'Lund'];
const months = ['January', 'March', 'May', 'July', 'October', 'December'];
const monthNumbers = ['01', '03', '05', '07', '10', '12'];
const words = ['twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];
const plain = (text: string) => text.normalize('NFD').replace(/[\u0300-\u036f]/g, '');

const kinds: readonly Kind[] = [
  {
    of(pick) {
      const name = `${given[pick(8)]} ${families[pick(8)]}`;
      return {
        answers: [name],
        held: [
          `It was ${name}.`,
          `It was ${plain(name).toUpperCase()}!`,
          `by “${plain(name)}” of Candlewick`,
        ],
        near: [`It was ${name}ham.`, `It was ${name.split(' ').toReversed().join(', ')}s.`, `un${name}`],
      };
    },
  },
  {
    of(pick) {
      const place = `${families[pick(8)]} Harbour`;
      const alias = `Port of ${families[pick(8)]}ton`;
      return {
        answers: [place, alias],
        held: [`the ${alias}, seen from the sea`, `the ${place}'s lamps`, `the ${place.toLowerCase()} wall`],
        near: [`the ${place}s Company`, `${place.replace(' ', ' Old ')}`, `the port of ${families[pick(8)]}`],
      };
    },
  },
  {
    of(pick) {
      const year = 1600 + pick(400);
      return {
        answers: [`${year}`],
        held: [`in ${year}.`, `(${year}–${year + 3})`, `on ${year}-03-12`, `12.3.${year}`],
        near: [
          `number ${year}${pick(10)}`,
          `${pick(8) + 1}${year} m`,
          `it cost ${year}.5`,
          `${year},500 coins`,
        ],
      };
    },
  },
  {
    of(pick) {
      const [day, at, year] = [13 + pick(15), pick(6), 1800 + pick(200)];
      const [month, number] = [months[at]!, monthNumbers[at]!];
      return {
        answers: [`${day} ${month} ${year}`],
        held: [
          `on ${year}-${number}-${day}`,
          `${month} ${day}, ${year}`,
          `the ${day}th of ${month} ${year}`.replace(/([123])(?=th)/, (digit) => digit),
          `${number}/${day}/${year}`,
        ],
        near: [
          `${month} ${year}`,
          `${day + 1} ${month} ${year}`,
          `${day} ${month} ${year}${pick(10)}`,
          `${day} ${months[(at + 1) % 6]} ${year}`,
        ],
      };
    },
  },
  {
    of(pick) {
      const metres = 20 + pick(900);
      return {
        answers: [`${metres} m`],
        held: [`${metres} metres tall`, `it is ${metres}m`, `${metres / 1_000} km`, `height (m): ${metres}`],
        near: [`${metres} feet`, `${metres} people`, `1${metres} m`, `${metres}.5 m`, `${metres} km`],
      };
    },
  },
  {
    of(pick) {
      const [at, ones] = [pick(8), 3 + pick(6)];
      const spoken = ['three', 'four', 'five', 'six', 'seven', 'eight'][ones - 3];
      const value = (at + 2) * 10 + ones;
      return {
        answers: [`${value}`],
        held: [`has ${words[at]}-${spoken} arches`, `has ${value} arches`, `arches: ${value}`],
        near: [
          `has ${words[at]} arches`,
          `has ${words[at]}-${spoken} thousand arches`,
          `has ${value}${pick(10)} arches`,
          `lies at -${value}`,
        ],
      };
    },
  },
  {
    of(pick) {
      const millions = 2 + pick(7);
      return {
        answers: [`$${millions} million`],
        held: [`for $${millions},000,000`, `${millions} million dollars`, `US$${millions} million`],
        near: [`${millions} million people`, `$${millions} billion`, `$1${millions} million`, `$${millions}`],
      };
    },
  },
];

const others = [
  'Doc 1 (Title: "Kestrel Bridge")\nThe Kestrel Bridge crosses the Ash in nine spans.',
  'The lamp was lit by keepers, who lived in Candlewick.',
  'Ships of the Quay Line sail at noon and at six.',
];

/** Rows of which half were answered from memory, with a near miss in what they saw. */
export function groundedRows(count: number, random: () => number): PlannedRow[] {
  const pick: Picker = (below) => Math.floor(random() * below);
  return Array.from({ length: count }, (_, nth) => {
    const { answers, held, near } = kinds[nth % kinds.length]!.of(pick);
    const isLucky = pick(2) === 0;
    const texts = isLucky ? near : held;
    const shown = `${others[pick(3)]}\n${texts[pick(texts.length)]}`;
    const looks = [{ shows: others[pick(3)]! }, { shows: shown }, { shows: others[pick(3)]! }];
    const told = { answers, answer: answers[0]!, looks, question: `What is it, of case ${nth}?` };
    return { trajectory: trajectoryOf(told), isLucky, told };
  });
}
