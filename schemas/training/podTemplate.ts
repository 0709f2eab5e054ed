import { z } from 'zod';

const containerSchema = z.looseObject({
  env: z.array(z.looseObject({})).optional(),
  resources: z.looseObject({ limits: z.record(z.string(), z.unknown()).optional() }).optional(),
});

/** Parsed part of a pod template (`core/v1` PodTemplateSpec). Its first container is the trainer's. */
export const podTemplateSchema = z.looseObject({
  spec: z.looseObject({ containers: z.array(containerSchema).min(1) }),
});
export type PodTemplate = z.infer<typeof podTemplateSchema>;
