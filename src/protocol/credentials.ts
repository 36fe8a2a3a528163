/** Where callers put what lets them in. */
export const cookieName = 'tidegate';
export const pageKeyHeader = 'tidegate-page';
/** A browser cannot set headers on a WebSocket; it can name protocols. */
export const tokenProtocol = 'tidegate.token.';
export const pageKeyProtocol = 'tidegate.page.';
