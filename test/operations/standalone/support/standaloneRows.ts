import { alpacaRow, cleanText } from '../../../support/datasetRows.ts';

/** An alpaca row of a source, with so many searches. */
export function searchedRow(question: string, searches: number, more: object = {}): object {
  const hops = Array.from(
    { length: searches },
    (_, at) =>
      `<think>Hop ${at}.</think>\n<wiki_search>${question} ${at}</wiki_search>\n<observation>\nPassage ${at} of the Danube.\n</observation>\n\n`,
  );
  const output = `<think>Plan.</think>\n<plan>1. search</plan>\n${hops.join('')}<think>Clear.</think>\n<answer>Danube</answer>`;
  return { ...alpacaRow(searches === 1 ? cleanText : output), input: `Question: ${question}`, ...more };
}

/** A line of JSON that no writer would make again just so: spaces, escapes, a number of many digits. */
export function oddLine(row: object): string {
  const json = JSON.stringify(row).replaceAll('a', '\\u0061').replace('{', '{  ');
  return json.replace(/}$/, ' , "n": 1.50e+2, "big": 12345678901234567890 }');
}
