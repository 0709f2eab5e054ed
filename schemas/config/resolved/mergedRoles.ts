import { isDeepStrictEqual } from 'node:util';
import type { Role } from '../../trace.ts';
import type { Config } from '../config.ts';
import { asksEndpoint } from '../teacherBackends.ts';
import { roleModel } from './sectionModel.ts';

/** True for roles whose actions the orchestrator's model picks and takes in one answer. */
export function isMerged(config: Pick<Config, 'teacher'>, role: Role): boolean {
  if (config.teacher.turns === 'apart') return false;
  return isDeepStrictEqual(roleModel(config, role), roleModel(config, 'orchestrator'));
}

/** Providers that put an answer's schema in front of the prompt, and so of what they cache, by their host. */
const schemaFirstHosts: readonly string[] = ['api.openai.com'];

/** True where all merged turns send one schema, with every action of the profile in it. */
export function sendsOneSchema(config: Pick<Config, 'teacher'>): boolean {
  const { schema_in_prompt, base_url } = roleModel(config, 'orchestrator').endpoint;
  const isFirst = asksEndpoint(config.teacher) && schemaFirstHosts.includes(new URL(base_url).hostname);
  return schema_in_prompt ?? isFirst;
}
