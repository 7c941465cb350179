/* The backend of an App: it hears what happened, believes only what the service signed, and does each thing once. */

import { createServer } from "node:http";
import { env } from "node:process";
import { verifyWebhook } from "@svc/sdk";

const port = Number(env.PORT ?? 8080);
// While a secret is replaced, two are valid: name both, with a comma between.
const secrets = env.SVC_WEBHOOK_SECRET?.split(",");
if (!secrets) throw new Error("Set SVC_WEBHOOK_SECRET to the secret that was shown when the endpoint was made.");

/** An event is a few kilobytes. */
const BYTES_MAX = 1_000_000;

// Ids of events that were done. An App keeps them in its database, in the transaction that does what the event asks for.
const done = new Set();

const actions = {
	"image.created": ({ object }) => console.log(`${object.filename} has come: ${object.url}`),
	"image.deleted": ({ object }) => console.log(`${object.id} is gone`),
	"image.blocked": ({ object, reason }) => console.log(`${object.id} was blocked: ${reason}`),
	"user.disconnected": ({ object }) => console.log(`${object.id} left: forget what you know of them`),
};

async function read(request) {
	const chunks = [];
	let bytes = 0;
	for await (const chunk of request) {
		bytes += chunk.length;
		if (bytes > BYTES_MAX) throw new TypeError("This is too much for an event.");
		chunks.push(chunk);
	}
	// As it came: a body that was parsed and written anew has another signature.
	return Buffer.concat(chunks).toString();
}

const server = createServer(async (request, response) => {
	if (request.method !== "POST" || request.url !== "/hooks") return response.writeHead(404).end();
	try {
		const event = await verifyWebhook(await read(request), request.headers, secrets);
		if (!done.has(event.id)) {
			// Types that this App does not know come with new versions: they are taken, and ignored.
			actions[event.type]?.(event.data);
			done.add(event.id);
		}
		// Anything but 2xx within 15 seconds is sent again: what takes long is done after the answer.
		response.writeHead(204).end();
	} catch (error) {
		console.error(error.message);
		response.writeHead(error instanceof TypeError ? 400 : 500).end();
	}
});

server.listen(port, () => console.log(`Waiting for events at http://localhost:${port}/hooks`));
