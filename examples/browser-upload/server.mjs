/* The backend of an App: it keeps the key, and gives its pages an upload ticket for each picture. */

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { env } from "node:process";
import { createClient } from "@svc/sdk";

const port = Number(env.PORT ?? 8080);
const origin = env.ORIGIN ?? `http://localhost:${port}`;

if (!env.SVC_API_KEY)
	throw new Error("Set SVC_API_KEY to a key of your App; the first start of the service prints one.");
const svc = createClient({ baseUrl: env.SVC_BASE_URL ?? "http://localhost:3000", apiKey: env.SVC_API_KEY });

const files = {
	"/": ["text/html; charset=utf-8", new URL("index.html", import.meta.url)],
	"/page.mjs": ["text/javascript", new URL("page.mjs", import.meta.url)],
};

const server = createServer(async (request, response) => {
	const { pathname } = new URL(request.url ?? "/", origin);
	try {
		if (request.method === "POST" && pathname === "/tickets") {
			// Here an App looks at who is asking: whoever gets a ticket can upload one picture.
			const ticket = await svc.tickets.create({
				expiresIn: "10m",
				maxBytes: 10_000_000,
				origins: [origin],
				fields: { labels: { from: "browser-upload" } },
			});
			response.writeHead(201, { "Content-Type": "application/json" });
			response.end(JSON.stringify({ url: ticket.url }));
			return;
		}
		// The page runs the SDK as it is: modules, of which the browser fetches what it needs.
		const sdk = new URL(pathname.replace("/sdk/", "./"), import.meta.resolve("@svc/sdk"));
		const [type, file] = pathname.startsWith("/sdk/") ? ["text/javascript", sdk] : (files[pathname] ?? []);
		if (file === undefined) {
			response.writeHead(404).end();
			return;
		}
		const content = await readFile(file);
		response.writeHead(200, { "Content-Type": type }).end(content);
	} catch (error) {
		console.error(error);
		if (!response.headersSent) response.writeHead(500);
		response.end();
	}
});

server.listen(port, () => console.log(`Open ${origin}`));
