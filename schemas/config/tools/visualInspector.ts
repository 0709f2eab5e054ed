import { z } from 'zod';
import { configPathSchema } from '../paths.ts';
import { allowedHostSchema } from './allowedHost.ts';
import { toolModelConfigSchema } from './toolModel.ts';

/** Kinds of images that models may be shown; `jpeg` is also jpg. */
export const imageFormatSchema = z.enum(['png', 'jpeg', 'gif', 'webp', 'bmp']);
/** See {@link imageFormatSchema}. */
export type ImageFormat = z.infer<typeof imageFormatSchema>;

/** The `tools.visual_inspector` section: questions about images. */
export const visualInspectorConfigSchema = z
  .strictObject({
    model: toolModelConfigSchema.describe('Multimodal chat model that looks at the images'),
    folder: configPathSchema
      .optional()
      .describe('Folder of the images that file_path may name; without it, only web addresses are taken'),
    allow_urls: z.boolean().default(true).describe('Whether file_path may be the web address of an image'),
    allow_hosts: z
      .array(allowedHostSchema)
      .default([])
      .describe(
        'Hosts with port, or networks, of this machine or private networks whose images may be fetched',
      ),
    detail: z
      .enum(['auto', 'low', 'high'])
      .optional()
      .describe("OpenAI's setting of how closely an image is looked at; absent: not sent"),
    timeout_s: z.number().positive().default(30).describe('For fetching an image; the model has its own'),
    formats: z
      .array(imageFormatSchema)
      .min(1)
      .default([...imageFormatSchema.options])
      .describe("Kinds of images that the model's endpoint takes; they are told by content, not by name"),
    animations: z
      .boolean()
      .default(true)
      .describe('Whether images of more than one picture are shown: some endpoints refuse them'),
    max_bytes: z.int().positive().default(10_000_000).describe('Largest image file'),
    max_megapixels: z
      .number()
      .positive()
      .default(12.8)
      .describe('Most million pixels of an image, all pictures of an animation together'),
    max_chars: z.int().positive().default(8_000).describe('Shown of one answer'),
  })
  .refine(({ folder, allow_urls }) => folder !== undefined || allow_urls, {
    path: ['folder'],
    error: 'expected a folder of images, or allow_urls: true: without either there is nothing to look at',
  });
/** See {@link visualInspectorConfigSchema}. */
export type VisualInspectorConfig = z.infer<typeof visualInspectorConfigSchema>;
