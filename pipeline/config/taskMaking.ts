import type { StageName } from '../../contract/stageTable.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { SectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import type { ConfigProblems } from './configProblems.ts';

/** Access to the configuration of a task-making run, registered by its capability. */
export interface TaskMaking {
  /** Its section and command; other runs ignore the section. */
  readonly section: keyof Config;
  check(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void;
  profileOf(config: Config): string;
  /** Models called by its stages, except embedded ones, which cost nothing. */
  askedModels(config: Config): readonly SectionModel[];
  /** Settings that shape each of its stages. `part` selects keys by schema. */
  shapingOf(config: Config, part: (stage: StageName) => Partial<Config>): Partial<Record<StageName, object>>;
}

let registered: TaskMaking | undefined;

/** Registers the capability that makes tasks. Call before reading any configuration. */
export function registerTaskMaking(making: TaskMaking): void {
  registered = making;
}

/** Registered capability; undefined if no run can make tasks. */
export function taskMaking(): TaskMaking | undefined {
  return registered;
}
