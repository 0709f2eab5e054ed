import { UserError } from '../../base/userError.ts';
import { chooseFormats } from '../../output/dataset/formatTable.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { ConfigDocument } from './configDocument.ts';
import { place } from './explainConfigIssue.ts';

/**
 * Checks that the formats that are named can hold the rows that the other options make: better now than when the
 * teacher's work is done.
 *
 * @throws UserError for the first that can't
 */
export function checkFormats(document: ConfigDocument, { dataset }: Config): void {
  try {
    chooseFormats(dataset);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const where = place(document, ['dataset', 'formats']);
    throw new UserError(error.message.replace('dataset.formats', () => where));
  }
}
