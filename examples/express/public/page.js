/* The page: it speaks to its own backend, which has the key. */

const form = document.querySelector("form");
const said = document.querySelector("#said");
const list = document.querySelector(".pictures");
const more = document.querySelector("#more");

async function ask(path, options) {
	const answer = await fetch(path, options);
	const body = answer.status === 204 ? undefined : await answer.json();
	if (!answer.ok) throw new Error(body.error);
	return body;
}

/** Does something, and says what went wrong. */
async function attempt(work, done = "") {
	said.className = "";
	said.textContent = "One moment …";
	try {
		await work();
		said.textContent = done;
	} catch (error) {
		said.className = "bad";
		said.textContent = error.message;
	}
}

function element(name, fields, ...children) {
	const made = Object.assign(document.createElement(name), fields);
	made.append(...children);
	return made;
}

function line({ id, caption, url, thumbnail }) {
	const remove = element("button", { type: "button", textContent: "Delete", ariaLabel: `Delete ${caption}` });
	const picture = element("img", { src: thumbnail, alt: caption, width: 480, height: 360, loading: "lazy" });
	const item = element("li", {}, element("a", { href: url }, picture), element("div", {}, caption, remove));
	remove.addEventListener("click", () =>
		attempt(async () => {
			await ask(`/photos/${id}`, { method: "DELETE" });
			item.remove();
			form.elements.file.focus();
		}, `${caption} is deleted.`),
	);
	return item;
}

async function showPage(cursor) {
	const { photos, next } = await ask(cursor ? `/photos?${new URLSearchParams({ cursor })}` : "/photos");
	list.append(...photos.map(line));
	more.hidden = next === null;
	more.onclick = () => attempt(() => showPage(next));
}

form.addEventListener("submit", (event) => {
	event.preventDefault();
	void attempt(async () => {
		const photo = await ask("/photos", { method: "POST", body: new FormData(form) });
		list.prepend(line(photo));
		form.reset();
	}, "The picture is there.");
});

void attempt(() => showPage());
