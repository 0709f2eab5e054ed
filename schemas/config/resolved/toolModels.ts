import type { Config } from '../config.ts';
import type { ModelUse } from '../keyMeaning.ts';
import { asksEndpoint } from '../teacherBackends.ts';
import { type ToolName, toolNames } from '../tools/toolFacts.ts';
import { type ToolModelPart, toolSection } from '../tools/toolSections.ts';
import { endpointsInUse, isSameMember, type MemberEndpoint, sharedLimitsOf } from './endpoints.ts';
import { type SectionModel, sectionModel } from './sectionModel.ts';

/** Configuration keys that determine the tools' models. */
export type ToolModelsConfig = Pick<Config, 'tools' | 'teacher'>;

/** A configured model of a tool. */
interface ConfiguredToolModel extends SectionModel {
  readonly part: ToolModelPart;
  readonly kind: ModelUse;
  readonly tool: ToolName;
}

/** All models named by a configuration's tools. */
export function toolModelsOf(config: ToolModelsConfig): ConfiguredToolModel[] {
  return toolNames.flatMap((tool) =>
    Object.entries(toolSection(tool).models ?? {}).flatMap(([key, { kind }]) => {
      const part = `${tool}.${key}` as ToolModelPart;
      const named = sectionModel(config, `tools.${part}`);
      return named ? [{ ...named, part, kind, tool }] : [];
    }),
  );
}

/**
 * Models that tool calls use: those of the wanted tools, without embeddings for keyword search.
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
 * Endpoint member of a tool's model with its limits: the teacher's if both share an address and key, since the
 * endpoint counts them as one.
 */
export function toolModelMember(config: ToolModelsConfig, member: MemberEndpoint): MemberEndpoint {
  if (!asksEndpoint(config.teacher)) return member;
  const teachers = endpointsInUse(config).find((other) => isSameMember(other, member));
  return teachers ? { ...member, ...sharedLimitsOf(config, teachers) } : member;
}
