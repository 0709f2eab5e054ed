import type { Config } from '../config.ts';
import { asksEndpoint } from '../teacherBackends.ts';
import { type ToolName, toolNames } from '../tools/toolFacts.ts';
import type { ToolEmbeddingsConfig, ToolModelConfig } from '../tools/toolModel.ts';
import { type ToolModelPart, toolSection } from '../tools/toolSections.ts';
import {
  endpointsInUse,
  isSameMember,
  keyIn,
  type MemberEndpoint,
  type ResolvedEndpoint,
  resolvedEndpoint,
  sharedLimitsOf,
} from './endpoints.ts';

/** A model as a tool's section names it. */
type NamedModel = ToolEmbeddingsConfig & Partial<ToolModelConfig>;

/** What of a configuration the models of its tools depend on. */
export type ToolModelsConfig = Pick<Config, 'tools' | 'teacher'>;

/** A model that a tool asks, as a configuration has it. */
export interface ConfiguredToolModel {
  readonly part: ToolModelPart;
  readonly tool: ToolName;
  readonly model: string;
  /** At the teacher's address unless it names one. */
  readonly endpoint: ResolvedEndpoint;
  /** Undefined for embeddings, which have none. */
  readonly sampling: Config['teacher']['sampling'] | undefined;
}

/** Every model that the tools of a configuration name. */
export function toolModelsOf(config: ToolModelsConfig): ConfiguredToolModel[] {
  return toolNames.flatMap((tool) => {
    const section = config.tools[tool] as Readonly<Record<string, NamedModel | undefined>> | undefined;
    return Object.keys(toolSection(tool).models ?? {}).flatMap((key) => {
      const named = section?.[key];
      if (!named) return [];
      const { model, endpoint, sampling } = named;
      const part = `${tool}.${key}` as ToolModelPart;
      return [{ part, tool, model, endpoint: resolvedEndpoint(endpoint, config), sampling }];
    });
  });
}

/**
 * The models that calls of tools ask: of the wanted ones, and no embeddings where passages are found by words.
 *
 * @param wanted - Names of the tools that are called; all where absent
 */
export function askedToolModels(
  config: ToolModelsConfig,
  wanted?: ReadonlySet<string>,
): ConfiguredToolModel[] {
  return toolModelsOf(config).filter(({ part, tool }) => {
    const { isAsked } = toolSection(tool).models![part.slice(tool.length + 1)]!;
    return (!wanted || wanted.has(tool)) && (!isAsked || isAsked(config.tools[tool] as never));
  });
}

/**
 * The key of a tool's model; undefined when its endpoint needs none.
 *
 * @throws UserError when its variable is empty
 */
export function toolModelKeyOf(
  part: ToolModelPart,
  endpoint: ResolvedEndpoint,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return keyIn(env, endpoint.api_key_env, `tools.${part}.endpoint`);
}

/**
 * A member of the endpoint of a tool's model with the limits that hold there: the teacher's where the two share an
 * address and key, for the endpoint counts them as one.
 */
export function toolModelMember(config: ToolModelsConfig, member: MemberEndpoint): MemberEndpoint {
  if (!asksEndpoint(config.teacher)) return member;
  const teachers = endpointsInUse(config).find((other) => isSameMember(other, member));
  return teachers ? { ...member, ...sharedLimitsOf(config, teachers) } : member;
}
