/* The backend of an App: it takes pictures from a form, keeps them at the service, lists and deletes them. */

import { fileURLToPath } from "node:url";
import { ApiError, createClient, imageUrl } from "@svc/sdk";
import express from "express";
import multer from "multer";

const { SVC_API_KEY, SVC_BASE_URL = "http://localhost:3000", PORT = "8080" } = process.env;
if (!SVC_API_KEY) throw new Error("Set SVC_API_KEY to a key of your App; the first start of the service prints one.");
const svc = createClient({ baseUrl: SVC_BASE_URL, apiKey: SVC_API_KEY });

// What this App uploads has a label, so that it lists nothing else.
const labels = { from: "express" };
const form = multer({ limits: { fileSize: 20_000_000 }, defParamCharset: "utf8" });

/** What the page needs to know of a picture. */
const shown = (image) => ({
	id: image.id,
	caption: image.caption,
	url: image.url,
	thumbnail: imageUrl(image, { w: 480, h: 360, fit: "cover", format: "auto" }),
});

const app = express();
app.use(express.static(fileURLToPath(new URL("public", import.meta.url))));

// Here an App looks at who is asking: whoever reaches these routes can upload and delete.
app.post("/photos", form.single("file"), async ({ file, body }, response) => {
	if (!file) return response.status(400).json({ error: "Choose a picture first." });
	const image = await svc.images.upload(file.buffer, { filename: file.originalname, caption: body.caption, labels });
	response.status(201).json(shown(image));
});

app.get("/photos", async ({ query }, response) => {
	const cursor = typeof query.cursor === "string" ? query.cursor : undefined;
	const { data, pagination } = await svc.images.list({ labels, limit: 24, cursor });
	response.json({ photos: data.map(shown), next: pagination.next_cursor });
});

app.delete("/photos/:id", async ({ params }, response) => {
	const image = await svc.images.get(params.id);
	// The key reaches every image of the App: only those of this gallery may go.
	if (image.labels.from !== labels.from) return response.status(404).json({ error: "There is no such picture." });
	await svc.images.delete(params.id);
	response.status(204).end();
});

// Four parameters make it the place where every failure ends.
app.use((error, _request, response, _next) => {
	if (error instanceof ApiError && error.status < 500 && error.status !== 401) {
		const [field, reasons] = Object.entries(error.details ?? {})[0] ?? [];
		return response.status(error.status).json({ error: field ? `${field}: ${reasons.join(", ")}` : error.message });
	}
	if (error instanceof multer.MulterError) return response.status(413).json({ error: "The picture is too large." });
	console.error(error);
	response.status(500).json({ error: "That did not work. Try again in a moment." });
});

app.listen(Number(PORT), () => console.log(`Open http://localhost:${PORT}`));
