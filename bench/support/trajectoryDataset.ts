import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { type Block, observationBody, serializeBlocks } from '../../schemas/coa/layout.ts';

const page =
  'The Danube rises in the Black Forest, "Donaueschingen", and flows 2,850 km to the sea: Wien, Budapest, Београд.\n';

/** The text of a valid `mhqa` trajectory: six hops with observations of some kilobytes. */
export function trajectoryText(row: number): string {
  const model = (tag: string, body: string): Block => ({ tag, origin: 'model', body });
  const hops = Array.from({ length: 6 }, (_, hop): Block[] => [
    model('think', `Row ${row}, hop ${hop}: what does the next passage say about the river?`),
    model('wiki_search', `river ${row} passage ${hop}`),
    {
      tag: 'observation',
      origin: 'environment',
      body: observationBody(page.repeat(12 + ((row + hop) % 9))),
    },
  ]);
  return serializeBlocks([
    model('think', `Row ${row} needs a plan.`),
    model('plan', '1. search\n2. answer'),
    ...hops.flat(),
    model('think', `Row ${row} is clear.`),
    model('answer', 'Danube'),
  ]);
}

/** Writes alpaca rows as a JSON list of about so many megabytes, row by row; returns the number of rows. */
export async function writeTrajectories(
  file: string,
  megabytes: number,
  textOf: (row: number) => string = trajectoryText,
): Promise<number> {
  const stream = createWriteStream(file);
  stream.write('[\n');
  let row = 0;
  for (let bytes = 0; bytes < megabytes * 1e6; row++) {
    const json = `${row === 0 ? '' : ',\n'}${JSON.stringify({ instruction: 'Answer.', input: `Question: row ${row}?`, output: textOf(row) })}`;
    bytes += Buffer.byteLength(json);
    if (!stream.write(json)) await new Promise<void>((resolve) => stream.once('drain', () => resolve()));
  }
  stream.end('\n]\n');
  await finished(stream);
  return row;
}
