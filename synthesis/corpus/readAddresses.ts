import { readFile } from 'node:fs/promises';
import { UserError } from '../../base/userError.ts';
import { isWebAddress } from '../../pipeline/config/resolveConfigPaths.ts';

/**
 * The addresses of `synthesize.corpus.pages`: as they are listed, or a line each of a file, whose empty lines and those that
 * begin with # are passed over.
 *
 * @throws UserError for a line that is not an address, and a file without one
 */
export async function readAddresses(pages: string | readonly string[]): Promise<string[]> {
  if (typeof pages !== 'string' || isWebAddress(pages))
    return Promise.all([pages].flat().map((text) => addressOf(text, 'synthesize.corpus.pages')));
  const lines = (await readFile(pages, 'utf8')).split(/\r?\n/).entries();
  const written = [...lines].filter(([, line]) => !/^\s*(?:#|$)/.test(line));
  if (written.length === 0)
    throw new UserError(
      `${pages}: expected addresses, one a line, such as https://example.org/; it holds none`,
    );
  return Promise.all(written.map(([index, line]) => addressOf(line, `${pages}: line ${index + 1}`)));
}

/** The address of one page. Throws `UserError` that begins with `place` for any other text. */
export async function addressOf(text: string, place: string): Promise<string> {
  const { pageUrls } = await import('../../tools/crawlPage/createCrawlPageTool.ts');
  const found = pageUrls([text]);
  if (found.ok && found.urls.length === 1) return found.urls[0]!;
  const problem = found.ok ? `${found.urls.length} addresses in one line` : found.error;
  throw new UserError(`${place}: expected one address such as https://example.org/; ${problem}`);
}
