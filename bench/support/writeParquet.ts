/**
 * Writes rows of an Arrow stream, over and over, as parquet with the dataset's own writer.
 * `node writeParquet.ts ROWS.arrow OUT.parquet COUNT` prints seconds of CPU and by the clock and the peak memory.
 */
import path from 'node:path';
import { AtomicFile } from '../../base/files/atomicFile.ts';
import { parquetRowFile } from '../../output/dataset/files/columnFiles.ts';
import { parquetRowColumns, readParquetRows } from './parquetRows.ts';

const [source = '', target = '', count = '0'] = process.argv.slice(2);
const rows = readParquetRows(source);
const wall = performance.now();
const cpu = process.cpuUsage();
const file = await AtomicFile.create(path.resolve(target));
const parquet = parquetRowFile(file, parquetRowColumns);
for (let at = 0; at < Number(count); at++) await parquet.add(rows[at % rows.length]!);
await parquet.finish();
await file.commit();
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    wall_s: (performance.now() - wall) / 1e3,
    cpu_s: (user + system) / 1e6,
    peak_rss_mb: process.resourceUsage().maxRSS / 1e3,
    file_mb: file.bytes / 1e6,
  }),
);
