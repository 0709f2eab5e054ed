import { join } from 'node:path';
import { replaceFile } from '../../base/files/atomicFile.ts';
import { sealedFile } from '../../base/journal/sealed.ts';
import { parseSealedAs, parseStored, readStored } from '../../base/parseStored.ts';
import { type BalanceTable, balanceFileSchema, balanceTableSchema } from '../../schemas/run/balanceTable.ts';
import { stagePaths } from './stageFiles.ts';

const OPENING_BRACKET = 0x5b;

/** Where the stage that balances says what it did to the groups. */
function balancePath(runFolder: string): string {
  return join(stagePaths(runFolder, 'balance').folder, 'balance.json');
}

/** Writes a run's counts before and after balancing. The stage's folder must be there. */
export function writeBalanceTable(runFolder: string, table: BalanceTable): Promise<void> {
  return replaceFile(balancePath(runFolder), sealedFile({ dimensions: table }));
}

/** A run's counts before and after balancing; null for a run that does not balance. Throws `UserError` when damaged. */
export async function readBalanceTable(runFolder: string): Promise<BalanceTable | null> {
  const advice = 'redo the stage with --from balance';
  return (await readStored(balancePath(runFolder), parseTable, advice)) ?? null;
}

/** A version without checksums wrote the list by itself. */
function parseTable(bytes: Buffer): BalanceTable {
  if (bytes[0] === OPENING_BRACKET) return parseStored(balanceTableSchema, bytes.toString('utf8'));
  return parseSealedAs(balanceFileSchema, bytes).dimensions;
}
