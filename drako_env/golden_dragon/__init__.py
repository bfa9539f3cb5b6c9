"""Golden Dragon, and Icarius, which is the same game the other way up."""
