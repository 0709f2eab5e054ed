import { test } from 'vitest';
import { checkPage } from './support/checkPage.ts';
import { longPages } from './support/documentedPages.ts';

test.each(longPages)('what %s shows happens so', checkPage);
