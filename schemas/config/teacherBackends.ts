/** Teacher backends by their names in the configuration. */
export const teacherBackendNames = ['openai', 'scripted', 'coa_model'] as const;
/** Default model of a teacher. */
export const defaultTeacherModel = { model: 'scripted-teacher' } as const;

export type TeacherBackendName = (typeof teacherBackendNames)[number];

type HasBackend = { readonly backend: TeacherBackendName };

/**
 * True for a teacher at the configured endpoint, which needs a key and costs money; the run serves a scripted one.
 */
export function asksEndpoint({ backend }: HasBackend): boolean {
  return backend !== 'scripted';
}

/** True if one model plays every agent in one text. */
export function playsAlone({ backend }: HasBackend): boolean {
  return backend === 'coa_model';
}
