export {}; // what it brings is `nacl` on the global object; see ../guest/channel.js
