import { createClient } from "@svc/sdk/client";
import { userLeft } from "@svc/sdk/express";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import { ticketServer } from "@svc/sdk/filepond";
import { callback, type People, requireUser, signIn, signOut } from "@svc/sdk/hono";
import { verifyWebhook } from "@svc/sdk/index";
import { createManagement } from "@svc/sdk/management";
import { createLoader } from "@svc/sdk/next";
import { getImage } from "@svc/sdk/nuxt";
import { picture, pictureHtml, srcSet } from "@svc/sdk/picture";
import type { Image } from "@svc/sdk/shapes";
import { signUrl } from "@svc/sdk/sign-url";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import { imageUrl } from "@svc/sdk/transform";
import { transform } from "@svc/sdk/unpic";
import { addTicketUploader, type Uploading } from "@svc/sdk/uppy";

/* An example of each function of the SDK, as its reference prints it: npm run generate. The compiler holds them to the SDK. */

type Route = (path: string, handler: unknown) => unknown;

/** What the examples speak of. */
interface Given {
	readonly file: File;
	readonly image: Image;
	readonly ticketUrl: string;
	readonly request: Request;
	readonly uppy: Uploading;
	/** Hono’s. */
	readonly app: { use: Route; get: Route; post: Route };
	readonly people: People;
	readonly process: { readonly env: { readonly SVC_API_KEY: string; readonly [name: string]: string } };
}

export const SDK_EXAMPLES = {
	createClient: async ({ file, process }: Given) => {
		const svc = createClient({ baseUrl: "https://images.example.com", apiKey: process.env.SVC_API_KEY });
		const image = await svc.images.upload(file, { labels: { album: "summer" }, ttl: "30d" });
		for await (const one of svc.images.all({ labels: { album: "summer" } })) console.log(one.id, one.url);
		await svc.images.edit(image.id, { caption: "A cat, asleep" });
	},
	createManagement: async ({ process }: Given) => {
		const svc = createManagement({ baseUrl: "https://images.example.com", apiKey: process.env.SVC_TOKEN ?? null });
		const app = await svc.apps.create("Sunday Hikers");
		const key = await svc.apps
			.of(app.id)
			.keys.create({ name: "backend", reach: "app", permissions: ["read", "write"] });
		console.log(key.secret); // shown this once
	},
	ApiError: async ({ file, process }: Given) => {
		const svc = createClient({ baseUrl: "https://images.example.com", apiKey: process.env.SVC_API_KEY });
		try {
			await svc.images.upload(file);
		} catch (error) {
			if (error instanceof ApiError && error.code === "quota_exceeded") console.log("full", error.action);
			else if (error instanceof ConnectionError) console.log("no answer", error.reason);
			else throw error;
		}
	},
	signIn: ({ app, people }: Given) => {
		app.get("/sign-in", signIn(people)); // people = { client: svc, redirectUri, secret }
	},
	callback: ({ app, people }: Given) => {
		app.get("/callback", callback(people));
	},
	signOut: ({ app, people }: Given) => {
		app.post("/sign-out", signOut(people));
	},
	requireUser: ({ app, people }: Given) => {
		app.use("/photos/*", requireUser(people)); // then c.get("user") is who is signed in
	},
	userLeft: ({ app, people }: Given) => {
		app.use("/", userLeft(people)); // after the routes; in Next.js: .catch(userLeft(people))
	},
	imageUrl: ({ image }: Given) => {
		imageUrl(image, { w: 400, h: 400, fit: "cover", format: "webp" });
	},
	srcSet: ({ image }: Given) => {
		srcSet(image, { widths: [400, 800, 1200], format: "webp" });
	},
	picture: ({ image }: Given) => {
		const { sources, img } = picture(image, { alt: "A cat", ratio: 16 / 9, sizes: "(min-width: 60em) 50vw, 100vw" });
		console.log(sources[0]?.type, img.width, img.height);
	},
	pictureHtml: ({ image }: Given) => {
		pictureHtml(image, { alt: "A cat", placeholder: "blur", priority: true });
	},
	signUrl: async ({ image, process }: Given) => {
		const secret = process.env.SVC_SIGNING_SECRET ?? "";
		await signUrl(image, { secret, expiresIn: "1h", parameters: { w: 300 } });
	},
	verifyWebhook: async ({ request, process }: Given) => {
		const event = await verifyWebhook(await request.text(), request.headers, process.env.SVC_WEBHOOK_SECRET ?? "");
		if (event.type === "image.deleted") console.log("forget", event.data.object.id);
	},
	uploadWithTicket: async ({ ticketUrl, file }: Given) => {
		const image = await uploadWithTicket(ticketUrl, file, {
			onProgress: ({ sentBytes, totalBytes }) => console.log(sentBytes, totalBytes),
		});
		console.log(image.url);
	},
	addTicketUploader: ({ uppy }: Given) => {
		addTicketUploader(uppy, { ticket: async () => (await fetch("/tickets", { method: "POST" })).text() });
	},
	ticketServer: () => {
		// FilePond.create(input, { server })
		const server = ticketServer({ ticket: async () => (await fetch("/tickets", { method: "POST" })).text() });
		return server;
	},
	createLoader: () => {
		// loader.js, with a default export of it
		const loader = createLoader({ format: "avif", q: "auto" });
		return loader;
	},
	getImage: ({ image }: Given) => {
		getImage(image.url, { modifiers: { width: 400, fit: "cover" } });
	},
	transform: ({ image }: Given) => {
		transform(image.url, { width: 400, height: 300, fit: "cover" });
	},
} as const;
