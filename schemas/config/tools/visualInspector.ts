import { z } from 'zod';
import { inputPath, keyOf, positiveInt } from '../keyMeaning.ts';
import { modelKey } from '../models.ts';
import { allowedHostSchema } from './allowedHost.ts';

const rolloutKey = keyOf('rollout');

/** Image formats for models; `jpeg` includes jpg. */
export const imageFormatSchema = z.enum(['png', 'jpeg', 'gif', 'webp', 'bmp']);
export type ImageFormat = z.infer<typeof imageFormatSchema>;

/** The `tools.visual_inspector` section: questions about images. */
export const visualInspectorConfigSchema = z
  .strictObject({
    model: modelKey('chat', 'rollout')('Multimodal chat model that looks at the images'),
    folder: rolloutKey(
      inputPath.optional(),
      'Folder of the images that file_path may name; absent: only web addresses are taken',
    ),
    allow_urls: rolloutKey(z.boolean().default(true), 'Whether file_path may be the web address of an image'),
    allow_hosts: rolloutKey(
      z.array(allowedHostSchema).default([]),
      'Hosts with port, or networks, of this machine or private networks whose images may be fetched',
    ),
    formats: rolloutKey(
      z
        .array(imageFormatSchema)
        .min(1)
        .default([...imageFormatSchema.options]),
      "Kinds of images that the model's endpoint takes, told by content and not by name",
    ),
    animations: rolloutKey(
      z.boolean().default(true),
      'Whether images of more than one picture are shown; some endpoints refuse them',
    ),
    max_chars: rolloutKey(positiveInt.default(8_000), 'Most characters of an answer that the agent is shown'),
  })
  .refine(({ folder, allow_urls }) => folder !== undefined || allow_urls, {
    path: ['folder'],
    error: 'expected a folder of images, or allow_urls: true: without either there is nothing to look at',
  })
  .describe('Questions about images');
export type VisualInspectorConfig = z.infer<typeof visualInspectorConfigSchema>;
