import type { Entity, Kind } from '../world/entity.ts';

/** What the table on each kind of page lists, and how a row is headed and its value written. */
const rows: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  island: {
    sea: 'Waters',
    area: 'Area (km²)',
    capital: 'Capital',
    population: 'Population',
    peak: 'Highest point',
    height: 'Height (m)',
    navigator: 'Charted by',
    charted: 'First chart',
  },
  town: {
    island: 'Island',
    founded: 'Founded',
    founder: 'Founder',
    population: 'Population',
    craft: 'Known for',
  },
  person: {
    born: 'Born',
    birthplace: 'Place of birth',
    died: 'Died',
    occupation: 'Occupation',
    teacher: 'Teacher',
  },
  company: {
    industry: 'Industry',
    seat: 'Head office',
    founded: 'Set up',
    founder: 'Founder',
    employees: 'Employees',
  },
  ship: {
    type: 'Type',
    length: 'Length (m)',
    builder: 'Builder',
    launched: 'Launched',
    port: 'Home port',
    captain: 'First captain',
  },
  festival: { town: 'Place', month: 'Month', first_held: 'First held', founder: 'Founder' },
  lighthouse: { island: 'Island', height: 'Height (m)', built: 'First lit', architect: 'Architect' },
  book: {
    author: 'Author',
    genre: 'Genre',
    published: 'Published',
    publisher: 'Publisher',
    subject: 'Setting',
  },
  college: { town: 'Town', specialty: 'Teaches', opened: 'Opened', founder: 'Founder' },
};

/** The rows of an entity's table: fact name, heading. Facts that it lacks are left out. */
export function infoboxRows(entity: Entity): readonly (readonly [fact: string, heading: string])[] {
  return Object.entries(rows[entity.kind]).filter(([fact]) => entity.facts[fact] !== undefined);
}
