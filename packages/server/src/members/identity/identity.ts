import type { IncomingHttpHeaders } from 'node:http';
import type { Person } from '../../http/member-principal.ts';
import { newId } from '../../lib/new-id.ts';
import type { Services } from '../../services.ts';
import { identityStore } from './identity.store.ts';
import type { KnownBrowsers } from './known-browsers.ts';

export interface IdentityOptions extends Pick<Services, 'database' | 'log' | 'publicUrl'> {
  /** Signs the cookies. */
  secret: string;
  knownBrowsers: Pick<KnownBrowsers, 'cookieFor'>;
}

export type Identity = ReturnType<typeof createIdentity>;

const day = 86_400;

/**
 * Sessions and passwords, by better-auth. It is loaded when the console is first used. Its own routes are not served: accounts are
 * made only by one-time links.
 */
export function createIdentity({ database, publicUrl, secret, knownBrowsers, log }: IdentityOptions) {
  const isSecure = publicUrl.startsWith('https:');
  let loading: ReturnType<typeof load> | undefined;

  async function load() {
    const [{ betterAuth }, { createAdapterFactory }, { hashPassword, verifyPassword }] = await Promise.all([
      import('better-auth/minimal'),
      import('better-auth/adapters'),
      import('better-auth/crypto'),
    ]);
    const query = database.acrossWorkspaces;
    const adapter = createAdapterFactory({
      config: { adapterId: 'svc', usePlural: false, supportsJSON: true, transaction: false },
      adapter: () =>
        withCauses({
          create: ({ model, data }) => identityStore.insertAcrossWorkspaces(query, model, data) as never,
          async findOne({ model, where }) {
            return ((await identityStore.listAcrossWorkspaces(query, model, where, 1))[0] ?? null) as never;
          },
          findMany: ({ model, where, limit }) =>
            identityStore.listAcrossWorkspaces(query, model, where, limit) as never,
          async update({ model, where, update }) {
            return ((await identityStore.updateAcrossWorkspaces(query, model, where, update as never))[0] ??
              null) as never;
          },
          async updateMany({ model, where, update }) {
            return (await identityStore.updateAcrossWorkspaces(query, model, where, update)).length;
          },
          async delete({ model, where }) {
            await identityStore.deleteAcrossWorkspaces(query, model, where);
          },
          async deleteMany({ model, where }) {
            return (await identityStore.deleteAcrossWorkspaces(query, model, where)).length;
          },
          count: ({ model, where }) => identityStore.countAcrossWorkspaces(query, model, where),
        }),
    });
    const auth = betterAuth({
      baseURL: publicUrl,
      basePath: '/api/console',
      secret,
      database: adapter,
      // Passwords are checked before, by their characters: the library counts UTF-16 units.
      emailAndPassword: { enabled: true, disableSignUp: true, autoSignIn: false, maxPasswordLength: 1_000 },
      session: { expiresIn: 30 * day, updateAge: day },
      advanced: {
        database: { generateId: () => newId() },
        useSecureCookies: false,
        cookies: {
          session_token: {
            name: isSecure ? '__Host-svc_session' : 'svc_session',
            attributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure },
          },
        },
      },
      telemetry: { enabled: false },
      logger: { log: (level, message) => log[level === 'error' ? 'error' : 'debug']({ message }, 'sign-in') },
    });
    return { auth, hashPassword, verifyPassword };
  }

  function loaded() {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  }

  /** The cookies of a new session, and of a browser that is known from now on; undefined if email or password is wrong, after the same time for both. */
  async function signIn(email: string, password: string, headers: IncomingHttpHeaders) {
    const { auth } = await loaded();
    const asked = { body: { email, password }, headers: toHeaders(headers), returnHeaders: true } as const;
    const answer = await auth.api.signInEmail(asked).catch(undefinedIfRefused);
    return answer && [...answer.headers.getSetCookie(), knownBrowsers.cookieFor(email)];
  }

  return {
    /** Whether a request has a session cookie at all, valid or not. */
    hasCookie: ({ cookie }: IncomingHttpHeaders): boolean => cookie?.includes('svc_session=') ?? false,

    async hashPassword(password: string): Promise<string> {
      return (await loaded()).hashPassword(password);
    },

    async verifyPassword(hash: string, password: string): Promise<boolean> {
      return (await loaded()).verifyPassword({ hash, password });
    },

    signIn,

    /** The cookies of a session for somebody who has just set this password. */
    async openSession(email: string, password: string, headers: IncomingHttpHeaders): Promise<string[]> {
      return (await signIn(email, password, headers)) ?? [];
    },

    async find(headers: IncomingHttpHeaders): Promise<Person | undefined> {
      const { auth } = await loaded();
      const asked = { headers: toHeaders(headers), returnHeaders: true } as const;
      // A session that ends while it is renewed is refused instead of not found.
      const found = await auth.api.getSession(asked).catch(undefinedIfRefused);
      if (!found?.response) return undefined;
      const { user, session } = found.response;
      return {
        userId: user.id,
        sessionId: session.id,
        name: user.name,
        email: user.email,
        cookies: found.headers.getSetCookie(),
      };
    },

    /** Returns the cookies that end the session in the browser. */
    async signOut(headers: IncomingHttpHeaders): Promise<string[]> {
      const { auth } = await loaded();
      const answer = await auth.api.signOut({ headers: toHeaders(headers), returnHeaders: true });
      return answer.headers.getSetCookie();
    },
  };
}

function undefinedIfRefused(error: unknown): undefined {
  if (error instanceof Error && 'status' in error && error.status === 'UNAUTHORIZED') return undefined;
  throw error;
}

/** The library replaces errors by one that does not say what happened, except those with the name of its own. */
function withCauses<Methods extends object>(methods: Methods): Methods {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    async (...given: unknown[]) => {
      try {
        return await method(...given);
      } catch (cause) {
        const error = new Error('Reading or changing sessions failed.', { cause });
        throw Object.assign(error, { name: 'APIError' });
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Methods;
}

/** Only what sessions need: the cookie, and where it comes from. */
function toHeaders({ cookie, 'user-agent': agent }: IncomingHttpHeaders): Headers {
  return new Headers({ ...(cookie && { cookie }), ...(agent && { 'user-agent': agent }) });
}
