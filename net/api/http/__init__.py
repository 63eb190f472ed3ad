"""HTTP and the event stream, whatever is asked over them."""
