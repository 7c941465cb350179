/* An App that sells: three pictures are free, and who has the plan may keep as many as they like. The service counts them. */

import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { ApiError } from "@svc/sdk";
import { callback, requireUser, signIn, signOut } from "@svc/sdk/hono";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { failed, layout, message } from "./page.mjs";
import { gallery, offer, welcome } from "./shop.mjs";
import { origin, people, port, svc } from "./svc.mjs";

const app = new Hono();

app.get("/style.css", serveStatic({ root: import.meta.dirname }));
app.get("/", async (context) => context.html(layout("Your pictures", welcome(await svc.billing.plans.list()))));
app.get("/sign-in", signIn(people));
app.get("/callback", callback(people));
app.post("/sign-out", signOut(people));

// Below this line only those who are signed in are served, and only with what is theirs.
for (const path of ["/billing", "/photos/*"]) app.use(path, requireUser(people));

app.get("/photos", async (context) => {
	const user = context.get("user");
	const theirs = svc.forUser(user.id);
	const [{ data }, status, sale] = await Promise.all([
		theirs.images.list({ limit: 100 }),
		theirs.billing.status(),
		svc.billing.plans.list(),
	]);
	return context.html(layout("Your pictures", gallery({ user, images: data, status, sale })));
});

// The card on which they buy, change and cancel. From it they come back to /bought, which believes nothing and asks for the status.
app.get("/billing", async (context) => {
	const priceId = context.req.query("price_id");
	return context.redirect(await svc.billingUrl({ redirectUri: `${origin}/bought`, priceId }));
});
app.get("/bought", (context) => context.redirect("/photos"));

app.post("/photos", bodyLimit({ maxSize: 20_500_000 }), async (context) => {
	const { file, caption } = await context.req.parseBody();
	if (!(file instanceof File)) return message(context, 400, "Choose a picture first");
	try {
		await svc.forUser(context.get("user").id).images.upload(file, { caption });
	} catch (error) {
		if (!(error instanceof ApiError) || error.code !== "quota_exceeded") throw error;
		return message(context, 403, "You have all the pictures that are free", offer);
	}
	return context.redirect("/photos", 303);
});

app.post("/photos/:id/delete", async (context) => {
	await svc.forUser(context.get("user").id).images.delete(context.req.param("id"));
	return context.redirect("/photos", 303);
});

app.onError(failed);

serve({ fetch: app.fetch, port }, () => console.log(`Open ${origin}`));
