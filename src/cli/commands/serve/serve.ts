import { command } from '../../frame/definition.ts';

export const serveCommand = command({
  name: 'serve',
  group: 'serve',
  summary: 'an API for your programs, on this machine only',
  options: {
    port: { value: 'number', default: '3847', about: 'port on the loopback; 0 chooses a free one' },
    host: { value: 'address', default: '127.0.0.1', about: 'address to listen on; any but the loopback needs TLS' },
    socket: { value: 'path', about: 'a socket in the file system instead, for you alone' },
    name: {
      value: 'host',
      repeatable: true,
      about: 'another name that callers may use for it; can be given again',
    },
    tlsCert: { value: 'file', about: 'certificate, with --tls-key' },
    tlsKey: { value: 'file', about: 'its private key' },
  },
  run: async (...call) => (await import('../../serve/serve.ts')).serveApi(...call),
});
