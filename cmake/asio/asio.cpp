// Boost.Asio's definitions, compiled here and nowhere else.
#include <boost/asio/impl/src.hpp>
