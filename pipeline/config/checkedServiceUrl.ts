import { UserError } from '../../base/userError.ts';
import { serviceUrlSchema } from '../../schemas/config/keyMeaning.ts';

/**
 * An address of a service that comes from elsewhere than the configuration file.
 *
 * @param origin what gave it, as messages name it
 * @throws UserError when it is none; what may hold a key is not repeated
 */
export function checkedServiceUrl(address: string, origin: string): string {
  const parsed = serviceUrlSchema.safeParse(address);
  if (parsed.success) return address;
  const [issue] = parsed.error.issues;
  const got = issue?.code === 'custom' ? '' : ` such as http://localhost:8000/v1, got "${address}"`;
  throw new UserError(`${origin}: expected ${issue?.message}${got}`);
}
