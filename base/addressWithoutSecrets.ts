/** An address without user, password, query and fragment. */
export function addressWithoutSecrets(address: string): string {
  const url = new URL(address);
  return `${url.protocol}//${url.host}${url.pathname}`;
}
