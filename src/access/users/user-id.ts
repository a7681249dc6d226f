/** The id of a user of an identity provider: subjects of other issuers may be other people. */
export function userIdOf(issuer: string, subject: string): string {
  return `oauth:${issuer} ${subject}`;
}

/** Before the names of users, so that they are not taken for tokens. */
export const USER_PREFIX = "oauth:";
