/** The places for credentials. In a file without a library, because the published client reads it. */
export const cookieName = 'tidegate';
export const pageKeyHeader = 'tidegate-page';
/** A browser cannot set headers on a WebSocket, but it can name protocols. */
export const tokenProtocol = 'tidegate.token.';
export const pageKeyProtocol = 'tidegate.page.';
