import { z } from 'zod';
import { besideWrongValues, inputPathSchema, shapes, shapesNothing } from '../keyMeaning.ts';
import { allowedHostSchema } from './allowedHost.ts';
import { toolModelConfigSchema } from './toolModel.ts';

const shapesRollout = shapes('rollout');

/** Kinds of images that models may be shown; `jpeg` is also jpg. */
export const imageFormatSchema = z.enum(['png', 'jpeg', 'gif', 'webp', 'bmp']);
export type ImageFormat = z.infer<typeof imageFormatSchema>;

/** The `tools.visual_inspector` section: questions about images. */
export const visualInspectorConfigSchema = z
  .strictObject({
    model: toolModelConfigSchema.describe('Multimodal chat model that looks at the images'),
    folder: inputPathSchema
      .optional()
      .meta(
        shapesRollout('Folder of the images that file_path may name; absent: only web addresses are taken'),
      ),
    allow_urls: z
      .boolean()
      .default(true)
      .meta(shapesRollout('Whether file_path may be the web address of an image')),
    allow_hosts: z
      .array(allowedHostSchema)
      .default([])
      .meta(
        shapesRollout(
          'Hosts with port, or networks, of this machine or private networks whose images may be fetched',
        ),
      ),
    detail: z
      .enum(['auto', 'low', 'high'])
      .optional()
      .meta(shapesRollout("How closely an image is looked at (OpenAI's setting); absent: not sent")),
    timeout_s: z
      .number()
      .positive()
      .default(30)
      .meta(shapesNothing('Seconds for fetching an image; the model has its own')),
    formats: z
      .array(imageFormatSchema)
      .min(1)
      .default([...imageFormatSchema.options])
      .meta(
        shapesRollout("Kinds of images that the model's endpoint takes, told by content and not by name"),
      ),
    animations: z
      .boolean()
      .default(true)
      .meta(shapesRollout('Whether images of more than one picture are shown; some endpoints refuse them')),
    max_bytes: z.int().positive().default(10_000_000).meta(shapesRollout('Largest image file, in bytes')),
    max_megapixels: z
      .number()
      .positive()
      .default(12.8)
      .meta(shapesRollout('Most million pixels of an image, all pictures of an animation together')),
    max_chars: z
      .int()
      .positive()
      .default(8_000)
      .meta(shapesRollout('Most characters of one answer that the agent is shown')),
  })
  .refine(({ folder, allow_urls }) => folder !== undefined || allow_urls, {
    path: ['folder'],
    error: 'expected a folder of images, or allow_urls: true: without either there is nothing to look at',
    ...besideWrongValues,
  })
  .describe('Questions about images');
export type VisualInspectorConfig = z.infer<typeof visualInspectorConfigSchema>;
