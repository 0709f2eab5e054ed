import type { JsonValue } from '../../schemas/json.ts';
import type { ForeignRun } from './runs/foreignRun.ts';

/** Reads one row of a format as a run. Throws `RowRefusal` for a row that it can't. */
export type ReadRun = (value: JsonValue) => ForeignRun;
