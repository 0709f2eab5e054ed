import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../trace.ts';
import type { Config } from '../config.ts';
import { roleModel } from './sectionModel.ts';

/** True for roles whose actions the orchestrator's model picks and takes in one answer. */
export function isMerged(config: Pick<Config, 'teacher'>, role: Role): boolean {
  if (config.teacher.turns === 'apart') return false;
  return isDeepStrictEqual(roleModel(config, role), roleModel(config, 'orchestrator'));
}
