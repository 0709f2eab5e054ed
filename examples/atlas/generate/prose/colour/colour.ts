import type { Kind } from '../../world/entity.ts';
import { personColour } from './personColour.ts';
import { collegeColour, islandColour, lighthouseColour, townColour } from './placeColour.ts';
import { bookColour, companyColour, festivalColour, shipColour } from './ventureColour.ts';

/** What makes an article pleasant to read, by kind. `{n}`, `{month}`, `{town2}` and `{island2}` are drawn for each. */
export const colour: Readonly<Record<Kind, readonly string[]>> = {
  island: islandColour,
  town: townColour,
  person: personColour,
  company: companyColour,
  ship: shipColour,
  festival: festivalColour,
  lighthouse: lighthouseColour,
  book: bookColour,
  college: collegeColour,
};
