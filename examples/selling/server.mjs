/* An App that sells: three pictures are free, and who has the plan may keep as many as they like. The service counts them. */

import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { ApiError } from "@svc/sdk";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { layout, message } from "./page.mjs";
import { gallery, offer, welcome } from "./shop.mjs";
import { failed, signIn, userOf } from "./sign-in.mjs";
import { hostedCard, origin, port, svc } from "./svc.mjs";

const app = new Hono();

app.get("/style.css", serveStatic({ root: import.meta.dirname }));
app.route("/", signIn);

app.get("/", async (context) => {
	const user = userOf(context);
	const sale = await svc.billing.plans.list();
	if (!user) return context.html(layout("Your pictures", welcome(sale)));
	const [{ data }, status] = await Promise.all([
		svc.images.list({ user: user.id, limit: 100 }),
		svc.billing.status({ user: user.id }),
	]);
	return context.html(layout("Your pictures", gallery({ user, images: data, status, sale })));
});

// Below this line only those who are signed in are served, and only with what is theirs.
for (const path of ["/billing", "/photos", "/photos/*"])
	app.use(path, async (context, next) => (userOf(context) ? next() : context.redirect("/", 303)));

// The card on which they buy, change and cancel. From it they come back to /bought, which believes nothing and asks for the status.
app.get("/billing", (context) => {
	const price = context.req.query("price_id");
	return context.redirect(hostedCard("/billing", "/bought", price ? { price_id: price } : {}));
});
app.get("/bought", (context) => context.redirect("/"));

app.post("/photos", bodyLimit({ maxSize: 20_500_000 }), async (context) => {
	const user = userOf(context);
	const { file, caption } = await context.req.parseBody();
	if (!(file instanceof File)) return message(context, 400, "Choose a picture first");
	try {
		await svc.images.upload(file, { user: user.id, caption });
	} catch (error) {
		if (!(error instanceof ApiError) || error.code !== "quota_exceeded") throw error;
		return message(context, 403, "You have all the pictures that are free", offer);
	}
	return context.redirect("/", 303);
});

app.post("/photos/:id/delete", async (context) => {
	await svc.images.delete(context.req.param("id"), { user: userOf(context).id });
	return context.redirect("/", 303);
});

app.onError(failed);

serve({ fetch: app.fetch, port }, () => console.log(`Open ${origin}`));
