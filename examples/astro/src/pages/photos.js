import { ApiError } from "@svc/sdk";
import { labels, svc } from "../svc.js";

/** Takes the form. Here an App looks at who is asking; Astro has made sure that the form is one of this site. */
export async function POST({ request, redirect }) {
	const form = await request.formData();
	const file = form.get("file");
	if (!(file instanceof File)) return redirect("/?fault=Choose a picture first.", 303);
	try {
		await svc.images.upload(file, { caption: String(form.get("caption") ?? ""), labels });
	} catch (error) {
		if (!(error instanceof ApiError) || error.status >= 500 || error.status === 401) throw error;
		const [field, reasons] = Object.entries(error.details ?? {})[0] ?? [];
		const fault = field ? `${field}: ${reasons.join(", ")}` : error.message;
		return redirect(`/?${new URLSearchParams({ fault })}`, 303);
	}
	return redirect("/", 303);
}
