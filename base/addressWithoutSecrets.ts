/** Removes user, password, query and fragment from an address. */
export function addressWithoutSecrets(address: string): string {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
