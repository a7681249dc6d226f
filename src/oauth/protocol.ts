/** The OAuth 2.1 client protocol of MCP. Stores nothing; loaded on a challenge or for `login`. */
export { finishAuthorization, startAuthorization } from "./authorization.ts";
export { parseChallenge } from "./challenge.ts";
export { chooseClient } from "./choose-client.ts";
export { clientCredentials } from "./client-credentials.ts";
export { startDevice } from "./device.ts";
export { discover } from "./discover.ts";
export { isOAuthFailure, OAuthFailure } from "./failure.ts";
export { refreshTokens } from "./refresh.ts";
export { revokeTokens } from "./revoke.ts";
export { scopeToRequest } from "./scopes.ts";
