import type { JsonObject } from '../../base/json.ts';
import { valueAt } from '../columnPath.ts';
import type { TaskSourceConfig } from '../config/tasks.ts';
import { genericLayout as generic, type TaskLayout } from './taskLayout.ts';
import { taskLayouts } from './taskLayouts.ts';

/**
 * Layout of a file: the preset's or, if that is `generic`, the one recognised by the first row's columns, with the
 * configured columns. A layout's rules for a column move with the column.
 * @param forTasks whether answers or tests are wanted, too
 */
export function layoutOf(
  { preset, columns, answers }: Pick<TaskSourceConfig, 'preset' | 'columns' | 'answers'>,
  first: JsonObject | undefined,
  forTasks: boolean,
): TaskLayout {
  const layout = preset === 'generic' && first ? recognised(first, forTasks) : taskLayouts[preset];
  const named = Object.entries(columns).filter(([, path]) => path !== undefined);
  const isOther = (part: 'question' | 'answers') =>
    columns[part] !== undefined && !layout[part].includes(columns[part]);
  const { questionAfter, questionTail, sections, context, meta, answersFrom, aliases } = generic;
  return {
    ...layout,
    ...(isOther('question') && { questionAfter, questionTail, sections, context, meta }),
    ...(isOther('answers') && { answersFrom, aliases }),
    ...Object.fromEntries(named.map(([part, path]) => [part, [path].flat()])),
    ...(answers && { answersFrom: answers.from }),
    isEncrypted: layout.isEncrypted || columns.canary !== undefined,
    idWithSource: layout.idWithSource && columns.id === undefined,
  };
}

/** Layout with the most columns that a row has; `generic`, the first, is the fallback. */
function recognised(row: JsonObject, forTasks: boolean): TaskLayout {
  const sizeOf = ({ columns, answers, tests }: TaskLayout) => {
    if (forTasks && answers.length + tests.length === 0) return 0;
    const there = columns.filter((set) => set.every((path) => valueAt(row, path) !== undefined));
    return Math.max(0, ...there.map((set) => set.length));
  };
  return Object.values(taskLayouts).reduce((best, layout) => (sizeOf(layout) > sizeOf(best) ? layout : best));
}
