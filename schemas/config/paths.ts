import { z } from 'zod';

/** A path in a configuration: relative paths start at the configuration file's folder. */
export const configPathSchema = z.string().min(1);
