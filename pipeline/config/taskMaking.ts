import type { StageName } from '../../contract/stageTable.ts';
import type { ProfileRegistry } from '../../schemas/coa/profileRegistry.ts';
import type { Config } from '../../schemas/config/config.ts';
import type { SectionModel } from '../../schemas/config/resolved/sectionModel.ts';
import type { ConfigProblems } from './configProblems.ts';

/** What the configuration of a run that makes tasks says, as the capability reads it that makes them. */
export interface TaskMaking {
  /** Its section, and its command: other runs leave the section unread. */
  readonly section: keyof Config;
  /** Checks what the section's schema can't. */
  check(problems: ConfigProblems, config: Config, profiles: ProfileRegistry): void;
  /** Name of the profile that the tasks are for. */
  profileOf(config: Config): string;
  /** The models that its stages ask, but embedded ones: they bring their own endpoint and cost nothing. */
  askedModels(config: Config): readonly SectionModel[];
  /** The parts of the configuration that shape each of its stages. `part` gives the keys whose schemas say so. */
  shapingOf(config: Config, part: (stage: StageName) => Partial<Config>): Partial<Record<StageName, object>>;
}

let registered: TaskMaking | undefined;

/** Registers the capability that makes tasks. To be called before any configuration is read. */
export function registerTaskMaking(making: TaskMaking): void {
  registered = making;
}

/** The registered capability; undefined where there is none: no run makes tasks then. */
export function taskMaking(): TaskMaking | undefined {
  return registered;
}
