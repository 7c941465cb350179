/* Written by `npm run generate` from the table of transform parameters, by which the service itself goes. */

export const PARAMETERS = {
	/** The short side becomes 320, 640 or 1080 pixels, never more than it has; `social` is a card of 1200×630. `w`, `h` and `fit` then mean nothing. */
	size: {
		kind: "choice",
		values: ["s", "m", "l", "social"],
	},
	/** What the picture is encoded as. By default the format stays, and a `social` card is a JPEG. `auto` is AVIF or WebP where the request's `Accept` names them, AVIF for stills of up to 2 megapixels. */
	format: {
		kind: "choice",
		values: ["jpg", "png", "webp", "avif", "gif", "auto"],
	},
	/** The width in pixels, after turning. Alone it keeps the proportions. */
	w: {
		kind: "whole",
		min: 1,
		max: 4096,
		unit: "px",
		demand: "a whole number from 1 to 4096",
	},
	/** The height in pixels, after turning. Alone it keeps the proportions. */
	h: {
		kind: "whole",
		min: 1,
		max: 4096,
		unit: "px",
		demand: "a whole number from 1 to 4096",
	},
	/** How many pixels a screen has for each that is asked for: `w`, `h`, `blur`, `radius` and the short side of `s`, `m` and `l` are multiplied by it, within their bounds. */
	dpr: {
		kind: "decimal",
		min: 1,
		max: 3,
		decimals: 2,
		usual: 1,
		demand: "a number from 1 to 3",
	},
	/** How `w` and `h` are filled: `scale-down` and `crop` never enlarge, `cover` and `crop` cut, `contain` and `pad` add bars, `squeeze` distorts. */
	fit: {
		kind: "choice",
		values: ["scale-down", "contain", "cover", "crop", "pad", "squeeze"],
		usual: "scale-down",
	},
	/** What a cut keeps: faces, where there are none the subject, and without one what the eye goes to; or the named side. */
	gravity: {
		kind: "choice",
		values: ["auto", "face", "left", "right", "top", "bottom"],
		usual: "auto",
	},
	/** How close a cut with `gravity=face` comes to the faces. */
	zoom: {
		kind: "decimal",
		min: 0,
		max: 1,
		decimals: 3,
		usual: 0,
		demand: "a number from 0 to 1",
	},
	/** The point that a cut keeps as near to its middle as can be: shares of the turned picture's width and height. `gravity` and `zoom` then mean nothing. */
	focus: {
		kind: "point",
		decimals: 4,
		words: ["center", "top-left", "top-right", "bottom-left", "bottom-right"],
		demand: "x,y, each from 0 to 1, or one of center, top-left, top-right, bottom-left, bottom-right",
	},
	/** The quality of a JPEG, WebP or AVIF. By default 80, 85 for WebP and 67 for AVIF, which look alike; `auto` is the lowest from 40 to 90 that is still close to the picture. */
	q: {
		kind: "whole",
		min: 1,
		max: 100,
		words: ["high", "medium-high", "medium-low", "low", "auto"],
		demand: "a whole number from 1 to 100, or one of high, medium-high, medium-low, low, auto",
	},
	/** A WebP of exactly the picture's pixels; `q` then means nothing. */
	lossless: {
		kind: "choice",
		values: [true],
	},
	/** 0 is black, 2 is twice as bright. */
	brightness: {
		kind: "decimal",
		min: 0,
		max: 10,
		decimals: 3,
		usual: 1,
		demand: "a number from 0 to 10",
	},
	/** 0 is grey, more than 1 drives bright and dark apart. */
	contrast: {
		kind: "decimal",
		min: 0,
		max: 10,
		decimals: 3,
		usual: 1,
		demand: "a number from 0 to 10",
	},
	/** Less than 1 brightens the middle tones, more than 1 darkens them; 0 changes nothing. */
	gamma: {
		kind: "decimal",
		min: 0,
		max: 10,
		decimals: 3,
		usual: 1,
		demand: "a number from 0 to 10",
	},
	/** 0 takes the colours away. */
	saturation: {
		kind: "decimal",
		min: 0,
		max: 10,
		decimals: 3,
		usual: 1,
		demand: "a number from 0 to 10",
	},
	/** The radius in pixels. */
	blur: {
		kind: "whole",
		min: 0,
		max: 250,
		usual: 0,
		unit: "px",
		demand: "a whole number from 0 to 250",
	},
	/** How much edges are sharpened. */
	sharp: {
		kind: "decimal",
		min: 0,
		max: 10,
		decimals: 3,
		usual: 0,
		demand: "a number from 0 to 10",
	},
	/** Degrees, clockwise. */
	rotate: {
		kind: "choice",
		values: [90, 180, 270],
		unit: "°",
	},
	/** Mirrors sideways, upside down or both, before `rotate`. */
	flip: {
		kind: "choice",
		values: ["h", "v", "hv"],
	},
	/** A border of one colour goes. */
	trim: {
		kind: "choice",
		values: ["border"],
	},
	/** A piece of the upright picture, in its own pixels: `x,y,w,h`. All else sees only the piece. What lies outside of the picture is ignored, and so is `trim` beside it. */
	crop: {
		kind: "piece",
		unit: "px",
		demand: "x,y,w,h in whole pixels, w and h at least 1",
	},
	/** That frame of an animation, as a still; past its end the last one. The first is 0. */
	frame: {
		kind: "whole",
		min: 0,
		max: 499,
		demand: "a whole number from 0 to 499",
	},
	/** What the file says about itself: with `copyright`, who made it, but neither place nor device; nothing; or with `keep` all of it, to whoever has the address: an App forbids that by its delivery policy. */
	metadata: {
		kind: "choice",
		values: ["copyright", "none", "keep"],
		usual: "copyright",
	},
	/** A JPEG of a photo with a gain map (Ultra HDR) brings it along, made smaller and cut like the picture: a screen that can be brighter than white shows it so, and every other one shows the picture as ever. `off` leaves it out; so does every parameter that changes colours or lays something over the picture, and `metadata=none`. */
	hdr: {
		kind: "choice",
		values: ["off"],
	},
	/** Everything behind the subject becomes transparent, or `background`. An animation stays as it is: `frame` makes a still of it. */
	segment: {
		kind: "choice",
		values: ["foreground"],
	},
	/** Fills bars and what is transparent. */
	background: {
		kind: "colour",
		demand: "a CSS colour",
	},
	/** The subject stays as it is; what is behind it is blurred, greyed or darkened. Not beside `segment`. An animation stays as it is. `blur-faces` makes every face unrecognisable, and a still of an animation; nothing that the file says about itself stays. Better one too many: now and then something that only resembles a face is hidden as well (in 3 of 12 pictures without faces, such as a spoon and foxes of stone). */
	fx: {
		kind: "choice",
		values: ["blur-bg", "color-pop", "darken-bg", "blur-faces"],
	},
	/** How strong `fx` is: the radius of `blur-bg` (0 to 250, by default 60), the light that `darken-bg` leaves (0.05 to 1, by default 0.5). */
	strength: {
		kind: "decimal",
		min: 0,
		max: 250,
		decimals: 3,
		demand: "a number from 0 to 250",
	},
	/** Another image of the same storage is laid over this one, again and again. */
	tile: {
		kind: "image",
		demand: "an image or the id of one",
	},
	/** How much of `tile` is seen. */
	tile_opacity: {
		kind: "decimal",
		min: 0,
		max: 1,
		decimals: 2,
		usual: 1,
		demand: "a number from 0 to 1",
	},
	/** Another image of the same storage is laid over this one, once. */
	overlay: {
		kind: "image",
		demand: "an image or the id of one",
	},
	/** Where `overlay` lies, a fortieth of the short side from the edges. */
	overlay_at: {
		kind: "choice",
		values: ["bottom-right", "bottom", "bottom-left", "left", "center", "right", "top-left", "top", "top-right"],
		usual: "bottom-right",
	},
	/** The width of `overlay`, as a share of the picture's; less where it would be too high. */
	overlay_w: {
		kind: "decimal",
		min: 0.01,
		max: 1,
		decimals: 2,
		usual: 0.25,
		demand: "a number from 0.01 to 1",
	},
	/** How much of `overlay` is seen. */
	overlay_opacity: {
		kind: "decimal",
		min: 0,
		max: 1,
		decimals: 2,
		usual: 1,
		demand: "a number from 0 to 1",
	},
	/** Rounded corners of the finished picture, in pixels; `max` rounds half of its short side. Outside it is transparent, or `background` where the format has no transparency. */
	radius: {
		kind: "whole",
		min: 1,
		max: 2048,
		words: ["max"],
		unit: "px",
		demand: "a whole number from 1 to 2048, or max",
	},
	/** The answer is about the picture: its size and format, those of the stored one, a placeholder, colours, faces and where the eye goes. */
	info: {
		kind: "choice",
		values: ["json"],
	},
	/** The name under which the picture is saved rather than shown; its ending is that of the format. */
	dl: {
		kind: "name",
		demand: "1 to 100 characters without / and \\",
	},
} as const;
