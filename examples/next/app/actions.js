"use server";

import { ApiError } from "@svc/sdk";
import { revalidatePath } from "next/cache";
import { labels, svc } from "../svc.js";

/* What the forms do, on the server. Here an App looks at who is asking: anybody can send these forms. */

/** What the form says next: what went wrong, or nothing. */
export async function upload(_before, form) {
	const file = form.get("file");
	if (!(file instanceof File) || file.size === 0) return "Choose a picture first.";
	try {
		await svc.images.upload(file, { caption: String(form.get("caption") ?? ""), labels });
	} catch (error) {
		if (!(error instanceof ApiError) || error.status >= 500 || error.status === 401) throw error;
		const [field, reasons] = Object.entries(error.details ?? {})[0] ?? [];
		return field ? `${field}: ${reasons.join(", ")}` : error.message;
	}
	revalidatePath("/");
	return "";
}

export async function remove(id) {
	const image = await svc.images.get(id);
	// The key reaches every image of the App: only those of this gallery may go.
	if (image.labels.from !== labels.from) throw new Error("There is no such picture.");
	await svc.images.delete(id);
	revalidatePath("/");
}
