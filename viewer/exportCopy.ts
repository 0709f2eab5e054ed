import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { moveIntoPlace } from '../base/files/atomicFile.ts';
import { onDisk } from '../base/files/diskError.ts';
import { makeFolder } from '../base/files/makeFolder.ts';
import { temporaryName } from '../base/files/temporaryName.ts';
import { nearestName, suggestion } from '../base/nearestName.ts';
import { UserError } from '../base/userError.ts';
import { RecordFailure } from '../contract/errors.ts';
import { dropReasons } from '../schemas/dropReasons.ts';
import { failureCauses } from '../schemas/failureCauses.ts';
import { type ExportedPage, pageOfMany, readPageAssets } from './exportPage.ts';
import { type FacetName, facetNames, figureNames } from './index/fields.ts';
import type { RowFilter } from './index/queryRows.ts';
import type { RecordIndex } from './index/recordIndex.ts';
import { parseRowFilter, type RowAnswer, rowAnswers } from './server/listedRows.ts';
import type { TokensAnswer } from './server/rowTokens.ts';
import { type Source, Sources } from './server/sources.ts';

const names = [...facetNames, ...figureNames, 'q', 'sort'];

/** Values that may be missing in a run. */
const possibleValues: Partial<Record<FacetName, readonly string[]>> = {
  state: ['pending', 'kept', 'dropped', 'failed'],
  verdict: ['right', 'wrong', 'no_answer', 'unscored'],
  reason: [...Object.keys(dropReasons), ...Object.keys(failureCauses)],
};

/**
 * Parses the filter of `--rows`, in the form of URL queries; an empty text selects all rows. Unlike URLs, which ignore
 * unknown parts, it rejects them, since the list would be mistaken for the requested one.
 *
 * @throws UserError for a part that is not `name=value`, and for an unknown filter name
 */
function parseTypedFilter(text: string): RowFilter {
  for (const part of text.split('&').filter((one) => one !== '')) {
    const [name = ''] = part.split('=', 1);
    if (!part.includes('=')) throw new UserError(`--rows ${text}: ${adviceFor(part)}`);
    if (!names.includes(name)) throw new UserError(`--rows: no filter "${name}"; ${suggestion(name, names)}`);
  }
  return parseRowFilter(new URLSearchParams(text));
}

/** Advice for a part that is no `name=value`: the form of the page's search box, or words. */
function adviceFor(part: string): string {
  const [, name = '', value = ''] = /^(\w+):(.+)$/.exec(part) ?? [];
  const facet = nearestName(name, facetNames);
  if (facet !== undefined) return `expected ${new URLSearchParams([[facet, value]])}`;
  const form = 'expected name=value, joined by &, such as state=dropped&tokens=1000-';
  return `${form}; words and ids are searched by ${new URLSearchParams([['q', part]])}`;
}

/**
 * Rejects a value of a facet that no row has.
 *
 * @throws UserError that names the existing values
 */
function refuseUnknownValues({ facets }: RowFilter, { columns }: RecordIndex): void {
  for (const [name, values] of Object.entries(facets) as [FacetName, readonly string[]][]) {
    const present = columns.words.get(name)!.words;
    for (const value of values) {
      if (present.includes(value) || possibleValues[name]?.includes(value)) continue;
      const nearest = nearestName(value, [...present, ...(possibleValues[name] ?? [])]);
      const advice = nearest === undefined ? suggestion(value, present) : `did you mean "${nearest}"?`;
      throw new UserError(`--rows: no row has ${name}=${value}; ${advice}`);
    }
  }
}

/** Maximum records of a copy; each is a file, and one page lists all. */
const MAX_RECORDS = 10_000;

interface CopyOptions {
  readonly name: string;
  /** As in URLs, such as `reason=wrong_answer`; empty: all records. */
  readonly filter: string;
  /** A folder that is empty or does not exist. */
  readonly folder: string;
  /** True if each record's page includes its tokens with ids and labels. */
  readonly hasTokens: boolean;
}

/**
 * Writes a static copy of records: a list and a page for each, usable without server and network. The folder gets its
 * name at the end.
 *
 * @returns number of copied records
 * @throws UserError for a non-empty folder, and for no or too many records
 */
export async function exportCopy({ name, filter, folder, hasTokens }: CopyOptions): Promise<number> {
  const wanted = parseTypedFilter(filter);
  const sources = await Sources.find([name]);
  try {
    const source = await sources.open(sources.opened[0]!.name);
    await source.live.grow();
    refuseUnknownValues(wanted, source.live.index);
    const { rows } = source.live.query(wanted);
    refuseCount(rows.length, source.live.progress.problem);
    await refuseFilled(folder);
    const target = resolve(folder);
    await makeFolder(dirname(target));
    const temporary = await temporaryName(target);
    try {
      await writePages(temporary, { source, rows, hasTokens });
      await refuseFilled(folder);
      await moveIntoPlace(temporary, target);
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
    return rows.length;
  } finally {
    await sources.close();
  }
}

interface CopiedRows extends Pick<CopyOptions, 'hasTokens'> {
  readonly source: Source;
  readonly rows: Uint32Array;
}

async function writePages(folder: string, { source, rows, hasTokens }: CopiedRows): Promise<void> {
  const write = (name: string, text: string) =>
    onDisk(folder, () => writeFile(join(folder, name), text, { flush: true }));
  await makeFolder(join(folder, 'records'));
  const assets = await readPageAssets();
  await write('viewer.js', assets.script);
  const base = `/${source.kind === 'run' ? 'runs' : 'files'}/${encodeURIComponent(source.name)}`;
  const api = `/api/sources/${encodeURIComponent(source.name)}`;
  const listed = rowAnswers(source.live.index, rows);
  const addressOf = ({ key }: RowAnswer) => `/records/${encodeURIComponent(key)}`;
  for (const [at, row] of rows.entries()) {
    const own = addressOf(listed[at]!);
    const record = await source.record(row);
    const tokens = hasTokens && record.trajectory ? await tokensOf(source, row) : undefined;
    const near = [at - 1, at + 1].filter((other) => listed[other]);
    const page: ExportedPage = {
      path: base + own,
      answers: {
        [api + own]: { ...record, siblings: [], formats: [] },
        ...(tokens && { [`${api}${own}/tokens`]: tokens }),
        ...Object.fromEntries(
          near.map((other) => [`${api}/window?&from=${other}&count=1`, { rows: [listed[other]] }]),
        ),
      },
      files: {
        [`${base}/rows`]: '../index.html',
        ...Object.fromEntries(near.map((other) => [base + addressOf(listed[other]!), `${other + 1}.html`])),
      },
    };
    await write(`records/${at + 1}.html`, pageOfMany(assets, page, '../viewer.js'));
  }
  const files = listed.map((row, at) => [base + addressOf(row), `records/${at + 1}.html`]);
  const list = { path: `${base}/rows`, answers: { [`${api}/window`]: { rows: listed } } };
  await write('index.html', pageOfMany(assets, { ...list, files: Object.fromEntries(files) }, 'viewer.js'));
}

async function tokensOf(source: Source, row: number): Promise<TokensAnswer | { error: string }> {
  try {
    return await source.tokens(row);
  } catch (error) {
    if (error instanceof RecordFailure || error instanceof UserError) return { error: error.message };
    throw error;
  }
}

function refuseCount(records: number, problem: string | undefined): void {
  if (records === 0) throw new UserError(problem ?? 'no record matches, so there is nothing to copy');
  if (records > MAX_RECORDS)
    throw new UserError(
      `${records} records are more than a copy holds (${MAX_RECORDS}); choose fewer with --rows, such as --rows 'state=kept&q=tower'`,
    );
}

async function refuseFilled(folder: string): Promise<void> {
  const held = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UserError(
      `--export ${folder}: ${error.code === 'ENOTDIR' ? 'it is not a folder' : error.message}`,
    );
  });
  if (held.length > 0)
    throw new UserError(
      `--export ${folder}: the folder holds something already; name one that is not there yet`,
    );
}

const BLOCK = 1_000;

/**
 * Rows of a run or a file that match a filter, as listed by the pages.
 *
 * @param filter as in URLs of the pages, for instance `reason=wrong_answer&sort=-tokens`
 * @throws UserError for an unknown source, an invalid filter, and at the end if some rows were unreadable
 */
export async function* listRows(name: string, filter: string): AsyncGenerator<RowAnswer> {
  const wanted = parseTypedFilter(filter);
  const sources = await Sources.find([name]);
  try {
    const { live } = await sources.open(sources.opened[0]!.name);
    await live.grow();
    refuseUnknownValues(wanted, live.index);
    const { rows } = live.query(wanted);
    for (let from = 0; from < rows.length; from += BLOCK)
      yield* rowAnswers(live.index, rows.subarray(from, from + BLOCK));
    // Readable files have been listed.
    const { problem } = live.progress;
    if (problem !== undefined) throw new UserError(problem);
  } finally {
    await sources.close();
  }
}
