import type { App, ManagedKey } from "@svc/sdk/shapes";
import { CodeBlock } from "../kit/copy-button.tsx";
import { type ConsoleVisit, canEdit, hasRole } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { FirstUpload } from "./first-upload.tsx";

interface FirstStepsProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	/** Of the newest key that works. */
	readonly keyName: string | undefined;
}

/** What comes first in an App that holds nothing. */
export function FirstSteps({ visit, app, keyName }: FirstStepsProps) {
	return (
		<section className="card" aria-labelledby="first">
			<h2 id="first">{t("first")}</h2>
			{canEdit(app) && <FirstUpload visit={visit} app={app} />}
			<ProgramSteps app={app} base={visit.addresses.base} keyName={keyName} mayMakeKey={hasRole(app, "admin")} />
		</section>
	);
}

interface ProgramStepsProps {
	readonly app: App;
	readonly base: string;
	/** Of a key that is there already. */
	readonly keyName: string | undefined;
	readonly mayMakeKey: boolean;
}

/** From a key to a picture of a program's own, with code that runs as it stands once it has the key's secret. */
export function ProgramSteps({ app, base, keyName, mayMakeKey }: ProgramStepsProps) {
	const key = <bdi>{keyName}</bdi>;
	const text = keyName === undefined ? t("first.key") : t("first.key.there", { key });
	return (
		<ol className="steps">
			<li>
				<p>{mayMakeKey || keyName !== undefined ? <a href={`/console/${app.id}/keys`}>{text}</a> : text}</p>
				<CodeBlock id="step-env">
					{`# ${oneLine(app.name)}: ${app.id}\nSVC_BASE_URL=${base}\nSVC_API_KEY=${keyName === undefined ? "" : `   # ${oneLine(keyName)}`}`}
				</CodeBlock>
			</li>
			<li>
				<p>{t("first.curl")}</p>
				<CodeBlock id="step-curl">
					{`curl ${base}/v1/images -H "Authorization: Bearer $SVC_API_KEY" -F file=@picture.jpg`}
				</CodeBlock>
			</li>
			<li>
				<p>{t("first.typescript")}</p>
				<CodeBlock id="step-typescript">{programOf(base)}</CodeBlock>
			</li>
		</ol>
	);
}

/** The newest key that works. */
export function keyNameOf(keys: readonly ManagedKey[]): string | undefined {
	return keys.find(({ revoked_at }) => revoked_at === null)?.name;
}

function oneLine(text: string): string {
	return text.replaceAll(/\s+/g, " ");
}

function programOf(base: string): string {
	return `import { createClient, imageUrl } from "@svc/sdk";

const svc = createClient({ baseUrl: "${base}", apiKey: process.env.SVC_API_KEY });
const image = await svc.images.upload(file, { caption: "A moth" });
console.log(imageUrl(image, { w: 400, format: "webp" }));`;
}
