// An identity provider for the tests of the console: oidc-provider with people whom the test names and a sign-in without a page.
//
// node tests/identity-provider.mjs DIRECTORY, with node_modules/oidc-provider in the directory. Prints the issuer when it listens.
//
// POST /test/client {"redirect_uri", "algorithm", "claims"} creates the client "console" and new keys; claims are in the user info, or with
// "id_token" in the ID token. POST /test/person {"sub", "email", "email_verified"} says who signs in from now on; without a sub the
// sign-in is refused.

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

// The test reads the issuer from the standard output and then closes it.
console.info = console.error;
console.log = console.error;

const entry = join(process.argv[2], 'node_modules/oidc-provider/lib/index.js');
const { Provider } = await import(pathToFileURL(entry));

const people = new Map();
let person = null;
let provider = null;

function keys(algorithm) {
  const { privateKey } = algorithm === 'ES256'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('rsa', { modulusLength: 2048 });
  return [{ ...privateKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: algorithm }];
}

function create(issuer, { redirect_uri, algorithm, claims }) {
  return new Provider(issuer, {
    clients: [{
      client_id: 'console',
      client_secret: 'a secret: +/%&=',
      redirect_uris: [redirect_uri],
      id_token_signed_response_alg: algorithm,
    }],
    jwks: { keys: keys(algorithm) },
    cookies: { keys: [randomUUID()] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: claims !== 'id_token',
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
    // People are not asked whether the console may know who they are.
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc;
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email');
      await grant.save();
      return grant;
    },
  });
}

async function body(request) {
  let text = '';
  for await (const piece of request) text += piece;
  return JSON.parse(text);
}

const server = createServer(async (request, response) => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  if (request.url === '/test/client') {
    provider = create(issuer, await body(request));
    response.end();
  } else if (request.url === '/test/person') {
    const { sub, ...claims } = await body(request);
    if (sub) people.set(sub, claims);
    person = sub;
    response.end();
  } else if (request.url.startsWith('/interaction/')) {
    const result = person ? { login: { accountId: person } } : { error: 'access_denied' };
    await provider.interactionFinished(request, response, result);
  } else {
    provider.callback()(request, response);
  }
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
// The test that has started the program ends it by closing its input.
process.stdin.on('end', () => process.exit()).resume();
